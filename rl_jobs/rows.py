"""Reading the rows of a data set file."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from envfactory_assets.records.record import Record
from rl_jobs.errors import RowsError

_Row = TypeVar("_Row", bound=Record)


@dataclass(frozen=True, slots=True)
class Rows(Generic[_Row]):
    """The rows of a file, and the hash of its bytes."""

    rows: Sequence[_Row]
    data_hash: str


def read_rows(path: Path, kind: type[_Row]) -> Rows[_Row]:
    """Read every row of a JSON lines file.

    Raises:
        RowsError: If the file is missing or empty, or a line is no such row.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RowsError(
            f"Rows file {str(path)!r} cannot be read: {error.strerror}. Export the data set first."
        ) from error
    rows: list[_Row] = []
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(kind.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise RowsError(
                f"Line {number} of {path.name} is no {kind.__name__}: {first['msg']} at {where!r}. "
                "Export the data set again with this version."
            ) from error
    if not rows:
        raise RowsError(f"Rows file {str(path)!r} is empty; materialize the data set first.")
    return Rows(rows, hashlib.sha256(content).hexdigest())
