import os
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandboxes.confinement.confinement import Confinement
from sandboxes.confinement.server_process import ServerProcess
from sandboxes.core.errors import (
    ConfinementError,
    ConfinementUnavailableError,
    WorkerFaultError,
    WorkerLostError,
)

REPOSITORY = Path(__file__).parents[3]
HERE = Path(__file__).parent


def is_gone(pid, seconds=10.0):
    """Wait until a process has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], seconds)[0])
    finally:
        os.close(process)


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def descriptors(pid):
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def server_pid(worker):
    return worker.ask({"code": "result = os.getppid()"})["result"]


def test_a_worker_keeps_what_it_was_told_and_other_workers_know_nothing_of_it(confinement):
    with confinement.start() as first, confinement.start() as second:
        first.ask({"code": "import math; math.kept = 5"})
        assert first.ask({"code": "import math; result = math.kept"})["result"] == 5
        with pytest.raises(WorkerFaultError, match="AttributeError"):
            second.ask({"code": "import math; result = math.kept"})


def test_every_json_value_goes_there_and_back(worker):
    value = {"a": [None, True, 1, -0.5, 10**30, "é 𝄞 \x00", {"b": []}]}
    assert worker.ask({"code": "result = value", "given": {"value": value}})["result"] == value


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), "\ud800", {"a": [object()]}])
def test_what_json_cannot_say_is_refused_and_the_worker_lives_on(worker, value):
    with pytest.raises(ValueError, match=r"."):
        worker.ask({"code": "", "given": {"value": value}})
    assert worker.ask({"code": "result = 'NaN'"})["result"] == "NaN"


@pytest.mark.parametrize("value", ["float('nan')", "'\\ud800'", "object()"])
def test_a_reply_that_json_cannot_say_is_a_fault_of_the_host(worker, value):
    with pytest.raises(WorkerFaultError, match="Error"):
        worker.ask({"code": f"result = {value}"})
    assert worker.ask({"code": "result = 1"})["result"] == 1


def test_a_request_larger_than_a_socket_buffer_goes_there_and_back(worker):
    text = "x" * (3 << 20)
    assert worker.ask({"code": "result = text", "given": {"text": text}})["result"] == text


def test_a_worker_may_ask_back_while_it_answers(worker):
    code = "result = [ask_parent({'number': number})['square'] for number in range(3)]"
    reply = worker.ask({"code": code}, serve=lambda question: {"square": question["number"] ** 2})
    assert reply["result"] == [0, 1, 4]


@pytest.mark.parametrize("error", [KeyError, TimeoutError, ConnectionError, WorkerFaultError])
def test_an_exception_of_what_serves_passes_and_ends_the_worker(confinement, error):
    def serve(question):
        raise error("ours")

    worker = confinement.start()
    with pytest.raises(error, match="ours"):
        worker.ask({"code": "ask_parent({})"}, serve=serve)
    assert not worker.is_alive


def test_a_closed_worker_says_so(worker):
    worker.close()
    worker.close()
    assert not worker.is_alive
    with pytest.raises(WorkerLostError, match="closed; start another") as caught:
        worker.ask({})
    assert caught.value.cause == "closed"


def test_the_time_limit_of_the_gates_works_in_a_worker(worker):
    code = """
from sandboxes.verification.time_limit import TimeLimitExceededError, time_limit
try:
    with time_limit(0.05):
        while True: pass
except TimeLimitExceededError:
    result = "interrupted"
"""
    assert worker.ask({"code": code})["result"] == "interrupted"


def test_a_module_of_the_standard_library_can_still_be_imported(worker):
    code = "import sched, statistics, uuid; result = statistics.median([1, 5, 2])"
    assert worker.ask({"code": code})["result"] == 2


def test_workers_hash_texts_by_the_seed_of_their_confinement(mechanism):
    def hashed(seed):
        with (
            Confinement(
                "hostile_host", None, seed, mechanisms=(mechanism,), search_path=(HERE,)
            ) as confinement,
            confinement.start() as worker,
        ):
            return worker.ask({"code": "result = hash('x')"})["result"]

    assert hashed(1) == hashed(1) != hashed(2)


def test_many_threads_start_and_ask_workers_at_once(confinement):
    def use(number):
        with confinement.start() as worker:
            asked = {"code": "result = number + 1", "given": {"number": number}}
            return [worker.ask(asked)["result"] for _ in range(20)]

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(use, range(12))) == [[number + 1] * 20 for number in range(12)]


def test_threads_that_share_a_worker_take_turns(worker):
    def use(number):
        code = "import time; time.sleep(0.001); result = number"
        return worker.ask({"code": code, "given": {"number": number}})["result"]

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(use, range(60))) == list(range(60))


def test_a_thousand_requests_and_some_restarts_leave_nothing_behind(make_confinement, landlock):
    confinement = make_confinement(landlock)
    worker = confinement.start()
    server = server_pid(worker)
    before = (descriptors("self"), descriptors(server))
    threads = threading.active_count()
    for _ in range(1000):
        worker.ask({"code": ""})
    for number in range(10):
        with pytest.raises(ConfinementError):
            confinement.start().ask(
                {"code": ("while True: pass", "os._exit(1)")[number % 2]}, timeout_seconds=0.05
            )
        confinement.start().close()
        confinement.start()  # dropped
    last = confinement.start()
    assert children(server) == [str(pid) for pid in (worker_pid(worker), worker_pid(last))]
    last.close()
    assert (descriptors("self"), descriptors(server)) == before
    assert threading.active_count() == threads
    confinement.close()
    assert is_gone(server)


def worker_pid(worker):
    return worker.ask({"code": "result = os.getpid()"})["result"]


def test_a_worker_that_ended_unasked_is_reaped(make_confinement, landlock):
    confinement = make_confinement(landlock)
    worker, other = confinement.start(), confinement.start()
    pid, server = worker_pid(worker), server_pid(other)
    os.kill(pid, signal.SIGKILL)
    assert is_gone(pid)
    assert worker_pid(other)
    assert not worker.is_alive
    with pytest.raises(WorkerLostError, match="SIGKILL"):
        worker.ask({"code": ""})
    assert children(server) == [str(worker_pid(other))]


def test_closing_a_confinement_ends_its_workers_and_it_can_start_again(make_confinement, landlock):
    confinement = make_confinement(landlock)
    worker = confinement.start()
    pid = worker_pid(worker)
    confinement.close()
    assert is_gone(pid)
    assert not worker.is_alive
    assert confinement.start().ask({"code": "result = 1"})["result"] == 1


def test_a_fork_server_that_died_is_replaced(make_confinement, landlock):
    confinement = make_confinement(landlock)
    worker = confinement.start()
    server, pid = server_pid(worker), worker_pid(worker)
    os.kill(server, signal.SIGKILL)
    assert is_gone(server)
    assert is_gone(pid)
    with pytest.raises(WorkerLostError, match="together with its fork server"):
        worker.ask({"code": ""})
    assert confinement.start().ask({"code": "result = 1"})["result"] == 1


def test_an_interrupted_order_ends_the_fork_server_and_is_not_answered_late(
    make_confinement, landlock, monkeypatch
):
    confinement = make_confinement(landlock)
    worker = confinement.start()
    server, pid = server_pid(worker), worker_pid(worker)

    def interrupted(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ServerProcess, "_hear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            confinement.start()
    assert is_gone(server)
    assert is_gone(pid)
    assert confinement.start().ask({"code": "result = 1"})["result"] == 1


def test_workers_end_when_the_process_that_asked_is_killed(landlock):
    program = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(REPOSITORY)!r})
from sandboxes.confinement.confinement import Confinement
worker = Confinement("hostile_host", search_path=(Path({str(HERE)!r}),)).start()
print(*worker.ask({{"code": "result = [os.getpid(), os.getppid()]"}})["result"], flush=True)
worker.ask({{"code": "while True: pass"}})
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        pids = [int(pid) for pid in process.stdout.readline().split()]
        process.kill()
    assert len(pids) == 2
    assert all(map(is_gone, pids))


def test_nothing_of_a_boxed_worker_is_left_when_it_was_killed(make_confinement, mechanism):
    worker = make_confinement(mechanism, wall_seconds=0.2).start()
    server = worker._server._process.pid
    with pytest.raises(ConfinementError):
        worker.ask({"code": "while True: pass"})
    assert children(server) == []
    boxed = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if is_box(path)]
    assert all(map(is_gone, boxed))


def is_box(path):
    """Whether a process belongs to a box of these tests."""
    words = _read(path).split(b"\0")
    return b"bwrap" in words[0] and any(str(HERE).encode() in word for word in words)


def _read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_fork_server_that_does_not_start_says_why(landlock):
    with (
        Confinement(None, hash_seed=-1, mechanisms=(landlock,)) as confinement,
        pytest.raises(ConfinementError, match="PYTHONHASHSEED must be"),
    ):
        confinement.mechanism()


def test_a_host_that_does_not_import_is_named(mechanism):
    with (
        Confinement("no_such_host", mechanisms=(mechanism,)) as confinement,
        pytest.raises(ConfinementError, match="no_such_host") as caught,
    ):
        confinement.start()
    assert not isinstance(caught.value, ConfinementUnavailableError)


def test_a_host_without_answer_is_named(mechanism):
    with (
        Confinement("json", mechanisms=(mechanism,)) as confinement,
        pytest.raises(ConfinementError, match="'json' has no function 'answer'"),
    ):
        confinement.start()
