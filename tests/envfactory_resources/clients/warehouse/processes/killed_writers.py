"""Writers that are killed, each in its own process and home, one at each milestone.

Every home first gets a committed version and a snapshot. Prints the signal that ended each writer.
"""

import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.milestones import Milestone


class Row(BaseModel):
    text: str


def put(warehouse: Warehouse, text: str) -> None:
    warehouse.write(
        "rows",
        "travel",
        [Row(text=text)],
        Row,
        run_id="run-1",
        code_version="1",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def prepare(home: Path) -> None:
    put(Warehouse(home), "oldest")
    put(Warehouse(home), "before")
    Warehouse(home).publish()


def write_until(home: Path, last: Milestone) -> None:
    def die_there(milestone: Milestone) -> None:
        if milestone is last:
            os.kill(os.getpid(), signal.SIGKILL)

    warehouse = Warehouse(home, reached=die_there)
    put(warehouse, "after")
    warehouse.publish()
    warehouse.collect_garbage(keep_history=False)


def main(homes: Path) -> None:
    for milestone in Milestone:
        preparing = os.fork()
        if preparing == 0:
            prepare(homes / milestone)
            os._exit(0)
        os.waitpid(preparing, 0)
        writer = os.fork()
        if writer == 0:
            write_until(homes / milestone, milestone)
            os._exit(0)
        _, status = os.waitpid(writer, 0)
        sys.stdout.write(f"{milestone} {os.waitstatus_to_exitcode(status)}\n")


main(Path(sys.argv[1]))
