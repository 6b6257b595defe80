"""Tools that do what they may not: a fault of the call, and the session lives on."""

import os
import threading

import pytest

from sandboxes.confinement.confinement import Confinement
from sandboxes.confinement.limits import Limits
from sandboxes.confinement.loading import make_class
from sandboxes.confinement.messages import DescribeRequest
from sandboxes.confinement.worker_pool import WorkerPool, shared_pool
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import EnvironmentFaultError, EnvironmentSourceError
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session
from sandboxes.verification.subject import Subject

LAMPS = "utilities.lamps"
LIMITS = Limits(memory_bytes=96 << 20, output_bytes=1 << 20)


@pytest.fixture(scope="module")
def pool():
    found = WorkerPool(lambda seed: Confinement(limits=LIMITS, hash_seed=seed))
    yield found
    found.close()


@pytest.fixture
def opened(lamps, pool):
    def session(misbehaviour, head=""):
        source = lamps(misbehaviour, head)
        environment = make_class(Subject.read(source), lambda: pool, seconds=1.0)
        catalog = Catalog([source], lambda _: environment)
        return Session.open(Scenario.draw(catalog, [LAMPS], 0), catalog)

    return session


@pytest.mark.parametrize(
    ("misbehaviour", "told"),
    [
        ("while True: pass", "longer than 1.0 s"),
        ("raise KeyError('gone')", "lamps__misbehave raised KeyError: 'gone'; a tool refuses"),
        ("return None", "lamps__misbehave raised TypeError: returned None, not a LampShown"),
        ("raise SystemExit(0)", "SystemExit"),
        ("raise BaseException('odd')", "BaseException"),
        ("import os; os._exit(3)", "exit"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("raise RecursionError", "RecursionError"),
        ("filled = [0] * (1 << 27)\nreturn LampShown(lamp_id=str(len(filled)), is_on=True)", ""),
        ("return LampShown(lamp_id='x' * (2 << 20), is_on=True)", ""),
        ("self.state.lamps['\\ud800'] = Lamp(is_on=True)\nreturn self.switch('\\ud800')", ""),
        ("self.state.clock = None\nreturn LampShown(lamp_id='x', is_on=True)", "'clock'"),
        ("self.state.lamps = lambda: 1\nreturn LampShown(lamp_id='x', is_on=True)", ""),
        ("class Odd(Exception):\n  def __str__(self): return 1 / 0\nraise Odd", ""),
        ("import socket; socket.socket()", "PermissionError"),
        ("open('/etc/passwd')", "PermissionError"),
    ],
)
def test_a_tool_that_misbehaves_is_a_fault_and_the_session_lives_on(opened, misbehaviour, told):
    session = opened(misbehaviour)
    before = session.snapshot()
    with pytest.raises(EnvironmentFaultError) as fault:
        session.call("lamps__misbehave", {})

    assert told in str(fault.value)
    assert session.snapshot() == before
    assert session.call("lamps__switch", {"lamp_id": "LP-1"}).ok


def test_what_a_worker_died_of_before_is_not_blamed_on_a_later_call(opened):
    hoard = "HOARD = []\ndef hoard():\n    HOARD.append(bytearray(30 << 20))\n"
    restore = "self.state.lamps['LP-1'] = Lamp(is_on=False)\nreturn self.switch('LP-1')"
    session = opened(f"hoard()\n{restore}", hoard)

    assert [session.call("lamps__misbehave", {}).ok for _ in range(12)] == [True] * 12


@pytest.mark.parametrize(
    "head",
    [
        "while True: pass\n",
        "raise SystemExit(0)\n",
        "import os\nos._exit(0)\n",
        "import os\nos.kill(os.getppid(), 9)\n",
        "filled = [0] * (1 << 27)\n",
    ],
)
def test_a_file_that_misbehaves_when_it_is_loaded_is_no_environment(lamps, pool, head, monkeypatch):
    monkeypatch.setattr("sandboxes.confinement.worker_pool._LOAD_SECONDS", 1.0)
    subject = Subject.read(lamps(head=head))

    with pytest.raises(EnvironmentSourceError, match=r"^utilities\.lamps does not"):
        make_class(subject, lambda: pool)


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("Lamps.tools['switch'].name = '../x'", "name"),
        ("Lamps.tools['switch'].effect = 'delete'", "effect"),
        ("Lamps.tools['switch'].description = 'x' * 30_000", "description"),
        ("Lamps.tools['switch'].internal_input_schema = {'type': 'object', 'properties': 3}", ""),
        ("Lamps.tools['switch'].internal_input_schema = {'type': 'array'}", "'array'"),
        (
            "Lamps.tools['switch'].internal_input_schema = "
            "{'type': 'object', 'properties': {'a': {'type': 'string', 'minLength': 10**9}}}",
            "minLength",
        ),
        ("Lamps.tools['misbehave'].name = 'switch'", "share a name"),
        ("Lamps.__name__ = 'x y'", "class_name"),
    ],
)
def test_a_description_out_of_form_is_refused(lamps, pool, tmp_path, head, told):
    source = lamps()
    source.path.write_text(f"{source.path.read_text()}\n{head}\n")
    source = Catalog.discover([(tmp_path, "generated")]).source(LAMPS)

    with pytest.raises(EnvironmentSourceError, match="cannot be described") as refusal:
        make_class(Subject.read(source), lambda: pool)
    assert told in str(refusal.value)


class FakeWorker:
    """Answers every request with the same thing, but for loading."""

    is_alive = True

    def __init__(self, reply, described):
        self.reply = reply
        self.described = described

    def ask(self, request, **_):
        return {"load": {"error": None}, "describe": self.described}.get(request["do"], self.reply)

    def close(self):
        pass


class FakeConfinement:
    def __init__(self, worker):
        self.start = lambda: worker
        self.close = lambda: None


STATE = '{"clock":{"now":"2026-03-02T09:00","counters":{}}}'


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"state": 1},
        {"bound": None, "result": None, "error": None, "state": None},
        {"bound": {}, "result": {}, "error": "both", "state": None},
        {"bound": None, "result": {}, "error": None, "state": None},
        {"bound": {}, "result": None, "error": "no", "state": STATE},
        {"bound": {}, "result": [], "error": None, "state": None},
        {"bound": {}, "result": {}, "error": None, "state": "{}"},
        {"bound": {}, "result": {}, "error": None, "state": "nonsense"},
        {"bound": {}, "result": {}, "error": None, "state": STATE.replace("T09", "T99")},
        {"bound": {}, "result": {}, "error": None, "state": None, "more": 1},
        {"fault": 3},
        {"fault": "x" * 10_000},
    ],
)
def test_a_worker_that_talks_nonsense_is_a_fault(lamps, reply):
    subject = Subject.read(lamps())
    with shared_pool().lend(subject) as worker:
        described = worker.ask(DescribeRequest().as_message())
    fake = FakeConfinement(FakeWorker(reply, described))
    pool = WorkerPool(lambda seed: fake)
    environment = make_class(subject, lambda: pool)
    environment.workers.note_normal(STATE)
    live = environment(environment.state_type.load(STATE))

    with pytest.raises(EnvironmentFaultError):
        live.carry_out("switch", {})
    assert live.state.dump().decode() == STATE


def test_many_threads_may_call_at_once(opened):
    sessions = [opened("pass")] * 12
    faults = []

    def call(session):
        try:
            session.fork().call("lamps__switch", {"lamp_id": "LP-1"})
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=call, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faults == []


def test_a_forked_process_has_workers_of_its_own(unreviewed):
    environment_id = "travel.hotel_booking"
    scenario = Scenario.draw(unreviewed, [environment_id], 0)
    session = Session.open(scenario, unreviewed)
    call = ("hotel_booking__list_bookings", {})
    expected = session.call(*call)
    inherited = shared_pool()
    pid = os.fork()
    if pid == 0:
        is_fine = repr(session.call(*call)) == repr(expected) and shared_pool() is not inherited
        shared_pool().close()
        os._exit(0 if is_fine else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert repr(session.call(*call)) == repr(expected)
    assert shared_pool() is inherited
