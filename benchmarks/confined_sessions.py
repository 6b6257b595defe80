"""What confinement costs: sessions of confined environments against direct ones, in one run.

Run `python benchmarks/confined_sessions.py [--quick]`. Every shipped environment is loaded twice,
directly and as if nobody had reviewed it. Rates are per second of wall-clock time, one caller, the
best of three runs; a caller waits for its worker, so processor time would flatter it. The call is
the environment's first reading tool, then its first writing one, with arguments that it carries
out. The last lines say what several threads, and a verification, take.
"""

import argparse
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sandboxes.confinement.loading import load_confined
from sandboxes.confinement.verification import verify_confined
from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session, ToolCall
from sandboxes.core.tool import Effect
from sandboxes.verification.verify import verify

RUNS = 3
DRAWS = 200
THREADS = 4
VERIFIED = "travel.hotel_booking"


def per_second(work: Callable[[], object], seconds: float) -> float:
    """Return how often a piece of work is done in a second, the best of some runs."""
    best = 0.0
    for _ in range(RUNS):
        count, started = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            work()
            count += 1
        best = max(best, count / elapsed)
    return best


def first_call(session: Session, effect: Effect) -> ToolCall:
    """Return a call of the first tool of an effect that carries one out."""
    rng = random.Random(0)
    for tool in session.tools:
        for _ in range(DRAWS if tool.effect == effect else 0):
            arguments = ArgumentValues(tool, session.states(), rng).draw()
            if session.fork().call(tool.wire_name, arguments).ok:
                return ToolCall(tool=tool.wire_name, arguments=arguments)
    raise RuntimeError(f"No {effect} tool of {session.environment_ids} could be called.")


def rates(
    catalog: Catalog, scenario: Scenario, calls: list[ToolCall], seconds: float
) -> list[float]:
    """Return the rates of open + call, call + snapshot, and restore + writing call."""
    session = Session.open(scenario, catalog)
    reading, writing = calls
    start = session.snapshot()

    def open_and_call() -> None:
        Session.open(scenario, catalog).call(reading.tool, reading.arguments)

    def call_and_snapshot() -> None:
        session.call(reading.tool, reading.arguments)
        session.snapshot()

    def restore_and_write() -> None:
        session.restore(start)
        session.call(writing.tool, writing.arguments)

    return [
        per_second(work, seconds) for work in (open_and_call, call_and_snapshot, restore_and_write)
    ]


def copies(folder: Path) -> Catalog:
    """Return the shipped environments as if nobody had reviewed them."""
    for source in Catalog.discover().sources:
        (folder / source.domain.value).mkdir()
        shutil.copy(source.path, folder / source.domain.value)
        shutil.copy(source.cases_path, folder / source.domain.value)
    return Catalog.discover([(folder, "generated")], load_confined)


def report_environment(direct: Catalog, confined: Catalog, key: str, seconds: float) -> None:
    """Print the rates of one environment: direct, confined, and how many times slower."""
    scenario = Scenario.draw(direct, [key], 0)
    session = Session.open(scenario, direct)
    calls = [first_call(session, "read"), first_call(session, "write")]
    columns = [rates(catalog, scenario, calls, seconds) for catalog in (direct, confined)]
    size = len(scenario.texts[key]) / 1024
    shown = [f"{d:>8,.0f} {c:>6,.0f} {d / c:>5.1f}x" for d, c in zip(*columns, strict=True)]
    print(f"{key:<24} {size:>5.1f} KB {'  '.join(shown)}")


def threaded_rate(catalog: Catalog, key: str, seconds: float) -> float:
    """Return how many calls a second some threads make together, each in its own session."""
    scenario = Scenario.draw(catalog, [key], 0)
    call = first_call(Session.open(scenario, catalog), "read")

    def work(_: int) -> float:
        session = Session.open(scenario, catalog)
        return per_second(lambda: session.call(call.tool, call.arguments), seconds)

    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(work, range(THREADS)))


def seconds_of(work: Callable[[], object]) -> float:
    """Return how long a piece of work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Print the table and what loading, threads and a verification take."""
    parser = argparse.ArgumentParser(description="Measure confined sessions.")
    parser.add_argument("--quick", action="store_true", help="measure for a fifth of the time")
    seconds = 0.1 if parser.parse_args().quick else 0.5
    with tempfile.TemporaryDirectory() as folder:
        direct, confined = Catalog.discover(), copies(Path(folder))
        ids = [source.environment_id for source in direct.sources]
        first = seconds_of(lambda: confined.load(ids[0]))
        others = [seconds_of(lambda key=key: confined.load(key)) for key in ids[1:]]
        print(
            f"load: {first * 1000:.0f} ms with the fork server, then "
            f"{sum(others) / len(others) * 1000:.0f} ms each\n"
        )
        print(
            f"{'per second':<24} {'state':>8} {'open + call':>23} {'call + snapshot':>23}"
            f" {'restore + write':>23}"
        )
        print(f"{'':<33}" + "   direct confined      " * 3)
        for key in ids:
            report_environment(direct, confined, key, seconds)
        print(
            f"\n{THREADS} threads, {VERIFIED}: "
            f"{threaded_rate(confined, VERIFIED, seconds):,.0f} confined calls/s together"
        )
        for name, work in (
            ("directly", lambda: verify(direct, VERIFIED, mutation=True)),
            ("confined", lambda: verify_confined(confined.source(VERIFIED), mutation=True)),
        ):
            print(f"verification with mutation, {VERIFIED}, {name}: {seconds_of(work):.1f} s")


if __name__ == "__main__":
    main()
