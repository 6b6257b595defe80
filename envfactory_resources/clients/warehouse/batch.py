"""Records to columns of plain cells and back, and the hash that identifies their content."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TypeVar, cast

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import PydanticSerializationError

from envfactory_resources.clients.warehouse.columns import Column, ColumnKind, columns_of
from envfactory_resources.clients.warehouse.errors import RecordError
from sandboxes.core.canonical import canonical_json, content_hash

Row = TypeVar("Row", bound=BaseModel)

Cell = str | int | float | bool | datetime | date | None
"""What one cell of a table holds; a JSON column holds text."""


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column with its cells, one a row."""

    column: Column
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows of one write, as columns, with the hash of their content."""

    columns: tuple[StoredColumn, ...]
    row_count: int
    data_version: str

    def layout(self) -> str:
        """Return names and kinds of the columns as canonical JSON."""
        return _layout([stored.column for stored in self.columns])


def batch_of(rows: Sequence[Row], record: type[Row]) -> Batch:
    """Turn records into columns.

    The data version hashes the rows in order and the columns, so an empty table whose columns
    changed is new content too. Instants count in UTC, whatever their offset.

    Raises:
        RecordError: If a row is not of the record class or holds what no table can hold.
    """
    columns = columns_of(record)
    dumped = [_dumped(number, row, record) for number, row in enumerate(rows)]
    moments = {
        column.name: [
            _moment(number, column, getattr(row, column.name)) for number, row in enumerate(rows)
        ]
        for column in columns
        if column.kind in (ColumnKind.INSTANT, ColumnKind.DATE)
    }
    for name, cells in moments.items():
        for row, cell in zip(dumped, cells, strict=True):
            row[name] = None if cell is None else cell.isoformat()
    data_version = _content_version(columns, dumped)
    stored = tuple(
        StoredColumn(column, list(moments.get(column.name) or _cells(column, dumped)))
        for column in columns
    )
    return Batch(stored, len(dumped), data_version)


def records_of(
    stored: Sequence[StoredColumn], row_count: int, record: type[Row], origin: str
) -> list[Row]:
    """Turn stored columns back into records.

    Args:
        stored: The columns; a field without one gets its default.
        row_count: How many rows there are.
        record: The class to make.
        origin: The version the rows come from, for the error.

    Raises:
        RecordError: If the class does not accept the stored values.
    """
    values = [_json_values(column) for column in stored]
    names = [column.column.name for column in stored]
    rows = zip(*values, strict=True) if values else ((),) * row_count
    try:
        # JSON mode: strict classes take arrays for tuples and text for times from JSON alone.
        return [
            record.model_validate_json(
                canonical_json(dict(zip(names, row, strict=True))), by_alias=False, by_name=True
            )
            for row in rows
        ]
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the row"
        raise RecordError(
            f"Rows of version {origin!r} do not fit record {record.__name__!r}: {place!r}: "
            f"{first['msg']}, got {first['input']!r}. Give the new field a default, or read this "
            "version with the record class that wrote it."
        ) from error


def _layout(columns: Sequence[Column]) -> str:
    return canonical_json({column.name: column.kind.value for column in columns})


def _dumped(number: int, row: BaseModel, record: type[BaseModel]) -> dict[str, JsonValue]:
    if type(row) is not record:
        raise RecordError(
            f"Row {number} is a {type(row).__name__!r}; this write takes {record.__name__!r} only. "
            "Pass the class of the rows as the record."
        )
    try:
        return row.model_dump(mode="json", by_alias=False, round_trip=True, warnings="error")
    except PydanticSerializationError as error:
        raise RecordError(
            f"Row {number} of {record.__name__!r} does not hold what its fields declare: {error}. "
            "Build records through validation."
        ) from error


def _moment(number: int, column: Column, value: object) -> datetime | date | None:
    if value is None:
        return None
    if column.kind is ColumnKind.DATE and isinstance(value, date):
        return value
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    raise RecordError(
        f"Row {number} holds {value!r} in {column.name!r}; a time column takes datetimes with a "
        "time zone. Attach one, or declare the field as str."
    )


def _content_version(columns: Sequence[Column], dumped: Sequence[dict[str, JsonValue]]) -> str:
    rows: list[JsonValue] = [*dumped]
    try:
        return content_hash({"columns": _layout(columns), "rows": rows})
    except ValueError as error:
        number, name = next(
            (number, name)
            for number, row in enumerate(dumped)
            for name, value in row.items()
            if not _is_json(value)
        )
        raise RecordError(
            f"Row {number} holds {dumped[number][name]!r} in {name!r}; JSON has no text for it "
            "(NaN, infinities, broken Unicode). Store None or a finite value."
        ) from error


def _is_json(value: JsonValue) -> bool:
    try:
        content_hash(value)
    except ValueError:
        return False
    return True


def _cells(column: Column, dumped: Sequence[Mapping[str, JsonValue]]) -> Sequence[Cell]:
    values = [row[column.name] for row in dumped]
    if column.kind is ColumnKind.JSON:
        return [None if value is None else canonical_json(value) for value in values]
    return cast(list[Cell], values)


def _json_values(stored: StoredColumn) -> Sequence[JsonValue]:
    match stored.column.kind:
        case ColumnKind.JSON:
            return _each(stored.cells, lambda cell: cast(JsonValue, json.loads(cast(str, cell))))
        case ColumnKind.INSTANT | ColumnKind.DATE:
            return _each(stored.cells, lambda cell: cast(date, cell).isoformat())
        case _:
            return cast(list[JsonValue], stored.cells)


def _each(cells: Sequence[Cell], read: Callable[[Cell], JsonValue]) -> list[JsonValue]:
    return [None if cell is None else read(cell) for cell in cells]
