"""Hostile code that uses too much, never ends, or abuses its line: the worker ends, we do not."""

import pytest

from sandboxes.core.errors import (
    ConfinementError,
    WorkerFaultError,
    WorkerLostError,
    WorkerOutputError,
    WorkerTimeoutError,
)

ENDLESS = {
    "pure Python": "while True: pass",
    "a regular expression": "import re; re.match(r'(a+)+$', 'a' * 64 + 'b')",
    "a computation in C": "3 ** 10 ** 9",
    "all signals blocked": """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while True: pass
""",
    "every exception swallowed": """
while True:
    try:
        bytearray(1 << 40)
    except BaseException:
        pass
""",
    "a pause": "import time; time.sleep(3600)",
    "endless print": "while True: print('x' * 100000)",
    "reading what never comes": "os.read(3, 1)",
    "a message that never ends": """
os.write(3, b'R' + (1000000).to_bytes(4, 'big'))
import time; time.sleep(3600)
""",
    "one byte at a time": """
import time
os.write(3, b'R' + (1000000).to_bytes(4, 'big'))
while True:
    os.write(3, b'x')
    time.sleep(0.01)
""",
}

TOO_MUCH = {
    "a huge reply": "result = 'x' * (8 << 20)",
    "a length of four gibibytes": "os.write(3, b'R' + b'\\xff' * 4)",
    "noise": "os.write(3, b'\\x00' * 4096)",
    "no JSON": "os.write(3, b'R' + (4).to_bytes(4, 'big') + b'nope')",
    "no object": "os.write(3, b'R' + (2).to_bytes(4, 'big') + b'[]')",
    "no UTF-8": "os.write(3, b'R' + (2).to_bytes(4, 'big') + b'\\xff\\xfe')",
    "not a number": "os.write(3, b'R' + (9).to_bytes(4, 'big') + b'{\"a\":NaN}')",
    "a number of a million digits": """
text = b'{"a":' + b'9' * 1000000 + b'}'
os.write(3, b'R' + len(text).to_bytes(4, 'big') + text)
""",
    "deep nesting": """
text = b'{"a":' * 100000 + b'1' + b'}' * 100000
os.write(3, b'R' + len(text).to_bytes(4, 'big') + text)
""",
    "a question nobody expects": "ask_parent({})",
    "an unknown kind": "os.write(3, b'?' + (2).to_bytes(4, 'big') + b'{}')",
}

DEATHS = {
    "exit": ("os._exit(7)", "exit"),
    "abort": ("os.abort()", "signal"),
    "a bad pointer": ("ctypes.string_at(1)", "signal"),
    "its line closed": ("os.close(3)", "exit"),
    "its line replaced": ("os.dup2(1, 3)", "exit"),
    "recursion without limit": (
        "sys = __import__('sys'); sys.setrecursionlimit(1 << 30)\n"
        "class A:\n    def __repr__(self): return repr([self])\nrepr(A())",
        "signal",
    ),
    "memory without bound": ("kept = []\nwhile True: kept.append(bytearray(1 << 24))", "memory"),
    "memory in small pieces": ("kept = []\nwhile True: kept.append({len(kept): kept})", "memory"),
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
def test_code_that_never_ends_is_killed_when_its_time_is_up(confinement, code):
    worker = confinement.start()
    with pytest.raises(WorkerTimeoutError, match=r"longer than 0\.3 s"):
        worker.ask({"code": code}, timeout_seconds=0.3)
    assert not worker.is_alive
    assert_unharmed(confinement)


@pytest.mark.parametrize("code", TOO_MUCH.values(), ids=TOO_MUCH)
def test_output_that_is_too_much_or_no_message_ends_the_worker(confinement, code):
    worker = confinement.start()
    with pytest.raises(WorkerOutputError):
        worker.ask({"code": code})
    assert not worker.is_alive
    assert_unharmed(confinement)


@pytest.mark.parametrize(("code", "cause"), DEATHS.values(), ids=DEATHS)
def test_a_worker_that_dies_is_reported_with_the_cause(confinement, code, cause):
    worker = confinement.start()
    with pytest.raises(WorkerLostError) as caught:
        worker.ask({"code": code})
    assert caught.value.cause == cause
    assert not worker.is_alive
    assert_unharmed(confinement)


def test_questions_without_end_use_up_the_output(confinement):
    worker = confinement.start()
    code = "while True: ask_parent({'text': 'x' * 100000})"
    with pytest.raises(WorkerOutputError):
        worker.ask({"code": code}, serve=lambda question: {})
    assert_unharmed(confinement)


def test_questions_without_end_and_content_use_up_the_time(confinement):
    worker = confinement.start()
    with pytest.raises((WorkerTimeoutError, WorkerOutputError)):
        worker.ask(
            {"code": "while True: ask_parent({})"},
            serve=lambda question: {},
            timeout_seconds=0.5,
        )
    assert_unharmed(confinement)


def test_a_request_that_the_worker_does_not_read_times_out(confinement):
    worker = confinement.start()
    code = "os.write(3, b'R' + (2).to_bytes(4, 'big') + b'{}')\nwhile True: pass"
    assert worker.ask({"code": code}) == {}
    with pytest.raises(WorkerTimeoutError):
        worker.ask({"code": "x" * (16 << 20)}, timeout_seconds=0.3)


def test_memory_taken_page_by_page_is_bounded(worker):
    code = """
result = 0
import mmap
kept = []
while result < 1 << 33:
    try:
        kept.append(mmap.mmap(-1, 1 << 20))
    except OSError:
        break
    result += 1 << 20
"""
    assert worker.ask({"code": code})["result"] <= 400 << 20


def test_open_files_are_bounded(worker):
    code = """
result = 0
try:
    while True:
        os.dup(0)
        result += 1
except OSError:
    pass
"""
    assert worker.ask({"code": code})["result"] <= 32


def test_processor_time_is_bounded_over_the_life_of_a_worker(make_confinement, mechanism):
    worker = make_confinement(mechanism, cpu_seconds=1).start()
    with pytest.raises(WorkerLostError, match="processor time") as caught:
        worker.ask({"code": "while True: pass"})
    assert caught.value.cause == "cpu_time"


def test_a_worker_that_forgives_itself_running_out_of_processor_time_is_killed(
    make_confinement, mechanism
):
    code = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    worker = make_confinement(mechanism, cpu_seconds=1).start()
    with pytest.raises(WorkerLostError) as caught:
        worker.ask({"code": code})
    assert caught.value.cause in {"cpu_time", "signal"}


@pytest.mark.parametrize("code", ["raise SystemExit", "raise KeyboardInterrupt", "1 / 0"])
def test_an_exception_is_reported_and_the_worker_lives_on(worker, code):
    with pytest.raises(WorkerFaultError):
        worker.ask({"code": code})
    assert worker.ask({"code": "result = 1"})["result"] == 1


def test_every_error_of_a_worker_is_a_confinement_error():
    kinds = (WorkerFaultError, WorkerLostError, WorkerOutputError, WorkerTimeoutError)
    assert all(issubclass(kind, ConfinementError) for kind in kinds)


def assert_unharmed(confinement):
    with confinement.start() as other:
        assert other.ask({"code": "result = 2"})["result"] == 2
