"""Columns of cells to the bytes of a Parquet file and back.

Every column says of itself, in the file, which kind it is, so a file can be read without the class
that wrote it.
"""
# pyarrow ships no type information: everything that comes out of it is unknown to the checker.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from collections.abc import Collection
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq

from envfactory_resources.clients.warehouse.batch import Batch, Cell, StoredColumn
from envfactory_resources.clients.warehouse.columns import Column, ColumnKind
from envfactory_resources.clients.warehouse.errors import RecordError, StorageError

_KIND_KEY = b"envfactory.kind"

_ARROW_TYPES = {
    ColumnKind.TEXT: pa.string(),
    ColumnKind.INTEGER: pa.int64(),
    ColumnKind.NUMBER: pa.float64(),
    ColumnKind.BOOLEAN: pa.bool_(),
    ColumnKind.INSTANT: pa.timestamp("us", "UTC"),
    ColumnKind.DATE: pa.date32(),
    ColumnKind.JSON: pa.string(),
}


def parquet_bytes(batch: Batch) -> bytes:
    """Return the Parquet file (zstd) of a batch.

    Raises:
        RecordError: If a value does not fit its column, such as an integer beyond 64 bits.
    """
    fields = [
        pa.field(
            stored.column.name,
            _ARROW_TYPES[stored.column.kind],
            metadata={_KIND_KEY: stored.column.kind.value.encode()},
        )
        for stored in batch.columns
    ]
    arrays = [_array(stored) for stored in batch.columns]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays, schema=pa.schema(fields)), sink, compression="zstd")
    return cast(bytes, sink.getvalue().to_pybytes())


def read_columns(path: Path, names: Collection[str]) -> tuple[list[StoredColumn], int]:
    """Return those columns of a payload that have one of the names, and its row count.

    Raises:
        StorageError: If the file is missing, damaged, or not a payload.
    """
    try:
        with pq.ParquetFile(path) as file:
            fields = [field for field in file.schema_arrow if field.name in names]
            table = file.read(columns=[field.name for field in fields], use_threads=False)
            row_count = cast(int, file.metadata.num_rows)
    except (OSError, pa.ArrowException) as error:
        raise StorageError(
            f"Cannot read the payload {str(path)!r}: {error}; a committed payload is a Parquet "
            "file that nothing but garbage collection removes. Restore it from a copy, or drop "
            "the warehouse and run again."
        ) from error
    stored = [
        StoredColumn(
            Column(name=field.name, kind=_kind(field, path)),
            cast(list[Cell], table.column(field.name).to_pylist()),
        )
        for field in fields
    ]
    return stored, row_count


def _array(stored: StoredColumn) -> pa.Array:
    try:
        return pa.array(stored.cells, _ARROW_TYPES[stored.column.kind])
    except (OverflowError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise RecordError(
            f"Column {stored.column.name!r} ({stored.column.kind.value}) cannot hold one of its "
            f"values: {error}. Integers have 64 bits; declare the field as str for longer ones."
        ) from error


def _kind(field: pa.Field, path: Path) -> ColumnKind:
    try:
        return ColumnKind((field.metadata or {})[_KIND_KEY].decode())
    except (KeyError, ValueError) as error:
        raise StorageError(
            f"Column {field.name!r} of the payload {str(path)!r} does not say which kind it is; "
            f"allowed: {[kind.value for kind in ColumnKind]}. The file was not written by this "
            "warehouse: restore it from a copy."
        ) from error
