import pyarrow
import pyarrow.parquet
import pytest

from envfactory_assets.stages.datasets.parquet_file import write_parquet


def test_rows_are_read_back_and_nothing_else_is_left(tmp_path):
    path = write_parquet(
        tmp_path / "new" / "rows.parquet", [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    )

    assert pyarrow.parquet.read_table(path).to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert [item.name for item in path.parent.iterdir()] == ["rows.parquet"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = write_parquet(tmp_path / "rows.parquet", [{"a": 1}])

    with pytest.raises(pyarrow.ArrowInvalid):
        write_parquet(path, [{"a": 1}, {"a": "not a number"}])
    assert pyarrow.parquet.read_table(path).to_pylist() == [{"a": 1}]
