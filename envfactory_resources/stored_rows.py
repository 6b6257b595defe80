"""Rows that an asset is handed and that are read from the warehouse when first looked at."""

from collections.abc import Sequence
from functools import cached_property
from typing import Generic, TypeVar, overload

import dagster as dg
from pydantic import BaseModel

from envfactory_resources.clients.warehouse.client import Warehouse

RowT = TypeVar("RowT", bound=BaseModel)


class StoredRows(Sequence[RowT], Generic[RowT]):
    """The current rows of a table, read once and only if somebody looks.

    An asset whose inputs have not changed never looks, so it costs nothing to hand it its inputs.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        asset: str,
        record: type[RowT],
        partitions: Sequence[str] | None = None,
    ) -> None:
        """Name the rows; see `Warehouse.read`."""
        self._read = lambda: warehouse.read(asset, record, partitions)

    @cached_property
    def _rows(self) -> list[RowT]:
        return self._read()

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> RowT: ...
    @overload
    def __getitem__(self, index: slice) -> list[RowT]: ...
    def __getitem__(self, index: int | slice) -> RowT | list[RowT]:
        """Return a row, or several."""
        return self._rows[index]


ROWS = dg.DagsterType(
    name="Rows",
    description="Rows of a table; read from the warehouse when first looked at.",
    # Without this type Dagster would look at every row of an input to check its class.
    type_check_fn=lambda _, value: isinstance(value, Sequence),
)


def rows_of(*assets: str) -> dict[str, dg.AssetIn]:
    """Return the inputs of an asset: these tables, as rows that are read when looked at."""
    return {asset: dg.AssetIn(dagster_type=ROWS) for asset in assets}
