# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyarrow ships no types.
"""Writing rows as one Parquet file that readers never see half-written."""

from collections.abc import Sequence
from pathlib import Path

from envfactory_assets.records.record import JsonObject


def write_parquet(path: Path, rows: Sequence[JsonObject]) -> Path:
    """Write rows of one shape and return the path."""
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), temporary)
    temporary.replace(path)
    return path
