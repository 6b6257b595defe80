"""How fast the warehouse commits, stores, reads and publishes.

Run: python benchmarks/warehouse.py [--scale 0.1]. At scale 1: 400 commits from one process, 400
from four at once, 100,000 rows written and read, a snapshot of 1,500 versions.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from envfactory_resources.clients.warehouse.client import Warehouse

CREATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
WRITERS = 4


class Call(BaseModel):
    """A row as trajectories have them: a few typed fields and one JSON value."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    call_id: str
    domain: str
    turn: int
    reward: float
    arguments: dict[str, JsonValue]


def calls(count: int, first: int = 0) -> list[Call]:
    """Make rows that all differ."""
    return [
        Call(
            call_id=f"call-{number}",
            domain="travel",
            turn=number % 7,
            reward=(number % 100) / 100,
            arguments={
                "city": f"City {number % 500}",
                "guests": [number, None],
                "nested": {"a": 1},
            },
        )
        for number in range(first, first + count)
    ]


def write(warehouse: Warehouse, partition: str | None, rows: list[Call]) -> None:
    """Write one version of the only asset."""
    warehouse.write(
        "calls", partition, rows, Call, run_id="bench", code_version="1", created_at=CREATED_AT
    )


def commit_many(root: Path, partition: str, count: int) -> None:
    """Make so many one-row versions of a partition."""
    warehouse = Warehouse(root)
    for number in range(count):
        write(warehouse, partition, calls(1, first=number))


def commit_from_processes(root: Path, count: int) -> None:
    """Make so many versions in all, from several processes at once."""
    writers = [
        get_context("fork").Process(target=commit_many, args=(root, f"p{number}", count // WRITERS))
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


def seconds(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def report_commits(root: Path, count: int) -> None:
    """Print commits a second, from one process and from several."""
    alone = seconds(lambda: commit_many(root / "alone", "travel", count))
    print(f"commits, one process: {count / alone:,.0f}/s ({count} in {alone:.2f} s)")
    crowd = seconds(lambda: commit_from_processes(root / "crowd", count))
    made = len(Warehouse(root / "crowd").versions())
    print(f"commits, {WRITERS} processes: {made / crowd:,.0f}/s ({made} in {crowd:.2f} s)")


def report_rows(root: Path, count: int) -> None:
    """Print how long many rows take to write, to write again, to read and to count in SQL."""
    warehouse, rows = Warehouse(root), calls(count)
    print(f"write {count:,} rows: {seconds(lambda: write(warehouse, None, rows)):.2f} s")
    print(f"write them again, unchanged: {seconds(lambda: write(warehouse, None, rows)):.2f} s")
    print(f"read {count:,} rows: {seconds(lambda: warehouse.read('calls', Call)):.2f} s")
    warehouse.publish()
    sql = "SELECT domain, count(*), avg(reward) FROM calls GROUP BY domain"
    print(f"aggregate them in SQL: {seconds(lambda: warehouse.query(sql)):.3f} s")
    size_bytes = sum(path.stat().st_size for path in (root / "payloads").rglob("*.parquet"))
    print(f"their payload: {size_bytes / 1e6:.1f} MB")


def report_publishing(root: Path, count: int) -> None:
    """Print how long a snapshot of many versions takes, and how long one that is up to date."""
    commit_many(root, "travel", count)
    warehouse = Warehouse(root)
    print(f"publish {count:,} versions: {seconds(warehouse.publish):.3f} s")
    print(f"publish again, unchanged: {seconds(warehouse.publish):.4f} s")


def main() -> None:
    """Run every measurement in a temporary home."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies every count")
    scale = parser.parse_args().scale
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        report_commits(root / "commits", WRITERS * max(1, round(100 * scale)))
        report_rows(root / "rows", max(1, round(100_000 * scale)))
        report_publishing(root / "publishing", max(1, round(1_500 * scale)))


if __name__ == "__main__":
    main()
