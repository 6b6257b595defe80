"""What confinement costs: the start of a worker, and asking it, against the same work done here.

Run `python benchmarks/confinement.py [--quick]`. Times are medians on the clock, with the best in
brackets. The worker's host module is this file: its `answer` gives back what it got.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from sandboxes.confinement import wire
from sandboxes.confinement.confinement import Confinement
from sandboxes.confinement.mechanism import Mechanism
from sandboxes.core.errors import ConfinementUnavailableError

SMALL: dict[str, JsonValue] = {"tool": "search_hotels", "arguments": {"city": "Lisbon"}}
LARGE: dict[str, JsonValue] = {
    "state": [{"id": f"BK-{number}", "city": "Lisbon", "nights": number} for number in range(440)]
}


def answer(request: dict[str, JsonValue], ask_parent: object) -> dict[str, JsonValue]:
    """Give back what was asked, as a worker."""
    del ask_parent
    return request


def timed(work: Callable[[], object], times: int) -> str:
    """Return the median and the best time of a piece of work, in milliseconds."""
    measured: list[float] = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        measured.append(1000 * (time.perf_counter() - started))
    return f"{statistics.median(measured):8.3f} ms ({min(measured):.3f})"


def here(request: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Encode, decode and answer in this process: the work without the way."""
    reply = answer(wire.decode(wire.encode(request)), None)
    return wire.decode(wire.encode(reply))


def measure(mechanism: Mechanism, times: int) -> None:
    """Print the figures of one mechanism, or why there are none."""
    confinement = Confinement(
        "confinement", mechanisms=(mechanism,), search_path=(Path(__file__).parent,)
    )
    with confinement:
        try:
            confinement.mechanism()
        except ConfinementUnavailableError:
            print(f"{mechanism:12}not here")
            return
        starts = max(times // (20 if mechanism == Mechanism.LANDLOCK else 200), 5)
        print(f"{mechanism:12}start, ask and end {timed(lambda: once(confinement), starts)}")
        with confinement.start() as worker:
            for name, request in (("small", SMALL), ("20 KB", LARGE)):
                worker.ask(request)
                print(f"{mechanism:12}ask, {name:14}{timed(partial(worker.ask, request), times)}")


def once(confinement: Confinement) -> None:
    """Start a worker, ask it once and end it."""
    with confinement.start() as worker:
        worker.ask(SMALL)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    times = 200 if parser.parse_args().quick else 2000
    for name, request in (("small", SMALL), ("20 KB", LARGE)):
        print(f"{'no worker':12}JSON, {name:13}{timed(partial(here, request), times)}")
    for mechanism in Mechanism:
        measure(mechanism, times)


if __name__ == "__main__":
    main()
