import threading

import pytest

from sandboxes.confinement import worker_pool
from sandboxes.confinement.worker_pool import IDLE_WORKERS, WORKERS_PER_ENVIRONMENT, WorkerPool
from sandboxes.core.errors import EnvironmentSourceError
from sandboxes.verification.subject import Subject


class FakeWorker:
    def __init__(self, error):
        self.error = error
        self.is_alive = True

    def ask(self, request, **_):
        return {"error": self.error}

    def close(self):
        self.is_alive = False


class FakeConfinement:
    def __init__(self, error=None):
        self.error = error
        self.started = []

    def start(self):
        self.started.append(FakeWorker(self.error))
        return self.started[-1]

    def close(self):
        pass


@pytest.fixture
def confinement():
    return FakeConfinement()


@pytest.fixture
def pool(confinement):
    return WorkerPool(lambda seed: confinement)


def subject(name="lamps"):
    return Subject(f"utilities.{name}", "0" * 64, f"{name}.py", b"", None)


def test_a_worker_is_lent_out_again(pool, confinement):
    for _ in range(5):
        with pool.lend(subject()):
            pass

    assert len(confinement.started) == 1


def test_a_worker_holds_one_environment_only(pool, confinement):
    for name in ("lamps", "doors", "lamps"):
        with pool.lend(subject(name)):
            pass

    assert len(confinement.started) == 2


def test_after_an_exception_a_worker_is_killed(pool, confinement):
    with pytest.raises(KeyboardInterrupt), pool.lend(subject()):
        raise KeyboardInterrupt
    with pool.lend(subject()) as worker:
        assert worker is not confinement.started[0]

    assert [worker.is_alive for worker in confinement.started] == [False, True]


def test_a_worker_that_died_while_idle_is_not_lent_out(pool, confinement):
    with pool.lend(subject()) as worker:
        pass
    worker.is_alive = False
    with pool.lend(subject()) as other:
        assert other is not worker


def test_idle_workers_are_few_and_the_oldest_goes_first(pool, confinement):
    for number in range(IDLE_WORKERS + 3):
        with pool.lend(subject(f"lamps{number}")):
            pass

    alive = [worker.is_alive for worker in confinement.started]
    assert alive == [False] * 3 + [True] * IDLE_WORKERS


def test_a_worker_is_replaced_after_long_use(pool, confinement, monkeypatch):
    monkeypatch.setattr(worker_pool, "_USES", 3)
    for _ in range(4):
        with pool.lend(subject()):
            pass

    assert [worker.is_alive for worker in confinement.started] == [False, True]


def test_who_comes_when_all_workers_are_out_waits(pool, confinement):
    entered, leave = threading.Semaphore(0), threading.Event()

    def hold():
        with pool.lend(subject()):
            entered.release()
            leave.wait()

    threads = [threading.Thread(target=hold) for _ in range(WORKERS_PER_ENVIRONMENT + 2)]
    for thread in threads:
        thread.start()
    for _ in range(WORKERS_PER_ENVIRONMENT):
        entered.acquire()

    assert not entered.acquire(timeout=0.05)
    leave.set()
    for thread in threads:
        thread.join()
    assert len(confinement.started) == WORKERS_PER_ENVIRONMENT


def test_what_does_not_load_is_said_and_leaves_no_worker():
    confinement = FakeConfinement(error="utilities.lamps defines 0 environments")
    pool = WorkerPool(lambda seed: confinement)

    with pytest.raises(EnvironmentSourceError, match="defines 0"), pool.lend(subject()):
        pass
    assert [worker.is_alive for worker in confinement.started] == [False]


def test_a_closed_pool_begins_anew(pool, confinement):
    with pool.lend(subject()):
        pass
    pool.close()
    with pool.lend(subject()):
        pass

    assert [worker.is_alive for worker in confinement.started] == [False, True]
