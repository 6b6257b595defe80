from collections.abc import Callable

import pytest

from envfactory_assets.records.datasets import RlTask
from rl_jobs.config import TaskSelection
from rl_jobs.errors import RowsError
from rl_jobs.task_choice import choose_tasks

SPLITS = ("validation", "test_environments")


@pytest.fixture
def rows(tasks: list[RlTask]) -> list[RlTask]:
    """Six short tasks of one split and domain, and longer ones of others."""
    places = [("validation", "finance")] * 6 + [
        ("validation", "travel"),
        ("test_environments", "travel"),
    ]
    return [
        task.model_copy(update={"split": split, "domain": domain, "row_id": f"{index}"})
        for index, (task, (split, domain)) in enumerate(zip(tasks, places, strict=True))
    ]


def length(task: RlTask) -> int:
    return int(task.row_id)


def chosen(rows: list[RlTask], measure: Callable[[RlTask], int] = length, **more: object) -> list:
    selection = TaskSelection(splits=SPLITS, **more)
    return [task.row_id for task in choose_tasks(rows, selection, measure).tasks]


def test_the_shortest_come_first(rows: list[RlTask]) -> None:
    assert chosen(rows, max_tasks=3) == ["0", "1", "2"]


def test_splits_and_domains_take_turns_when_tasks_are_spread(rows: list[RlTask]) -> None:
    assert chosen(rows, max_tasks=4, spread=True) == ["0", "1", "6", "7"]


def test_spreading_changes_nothing_where_all_tasks_fit(rows: list[RlTask]) -> None:
    assert chosen(rows, spread=True) == chosen(rows)


def test_what_was_passed_over_is_counted(rows: list[RlTask]) -> None:
    selection = TaskSelection(splits=("validation",), max_prompt_tokens=5, max_tasks=2)
    assert choose_tasks(rows, selection, length).passed_over == {
        "other_split": 1,
        "too_many_calls": 0,
        "too_long": 1,
        "beyond_max_tasks": 4,
    }


def test_a_selection_that_nothing_fits_is_one_clear_error(rows: list[RlTask]) -> None:
    with pytest.raises(RowsError, match="No task fits the selection; passed over"):
        choose_tasks(rows, TaskSelection(splits=("train",)), length)
