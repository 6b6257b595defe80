"""A process that writes and publishes: its own partition, and one that all writers share.

Prints the id of every version it was told is committed.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from envfactory_resources.clients.warehouse.client import Warehouse


class Row(BaseModel):
    writer: str
    number: int


def main(home: str, writer: str, count: int) -> None:
    warehouse = Warehouse(Path(home))
    for number in range(count):
        for partition in (writer, "shared"):
            version = warehouse.write(
                "rows",
                partition,
                [Row(writer=writer, number=number)],
                Row,
                run_id=f"run-of-{writer}",
                code_version="1",
                created_at=datetime(2026, 1, 1, tzinfo=UTC),
            )
            sys.stdout.write(f"{version.version_id}\n")
        warehouse.publish()


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
