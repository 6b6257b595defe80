import os

import pytest

from rl_jobs.errors import RowsError
from rl_jobs.verl.on_cpu import curve_text, newest_rows


def test_the_rows_that_were_written_last_are_trained_on(tmp_path) -> None:
    for name, written_at in (("sft-b", 10), ("sft-a", 20), ("grpo-c", 30)):
        path = tmp_path / name / "rows.jsonl"
        path.parent.mkdir()
        path.touch()
        os.utime(path, (written_at, written_at))
    assert newest_rows(tmp_path, "sft").parent.name == "sft-a"


def test_without_rows_the_next_step_is_told(tmp_path) -> None:
    with pytest.raises(RowsError, match="make run"):
        newest_rows(tmp_path, "sft")


def test_the_curve_has_a_line_a_step() -> None:
    assert curve_text([0.0, 0.5]).splitlines()[1:] == [
        "    1  0.000  ",
        f"    2  0.500  {'#' * 20}",
    ]
