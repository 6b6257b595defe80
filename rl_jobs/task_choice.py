"""Which tasks of a file a job uses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

from envfactory_assets.records.datasets import RlTask
from rl_jobs.config import TaskSelection
from rl_jobs.errors import RowsError

_Measured: TypeAlias = tuple[int, str, RlTask]


@dataclass(frozen=True, slots=True)
class ChosenTasks:
    """The tasks to use, the shortest prompts first, and how many were passed over by reason."""

    tasks: list[RlTask]
    passed_over: dict[str, int]


def choose_tasks(
    rows: Sequence[RlTask], selection: TaskSelection, prompt_tokens: Callable[[RlTask], int]
) -> ChosenTasks:
    """Return the tasks within the limits of a selection, the shortest prompts first.

    Raises:
        RowsError: If none is.
    """
    passed_over = {"other_split": 0, "too_many_calls": 0, "too_long": 0, "beyond_max_tasks": 0}
    found: list[_Measured] = []
    for row in rows:
        calls = row.reference.get("calls")
        if row.split not in selection.splits:
            passed_over["other_split"] += 1
        elif isinstance(calls, list) and len(calls) > selection.max_reference_calls:
            passed_over["too_many_calls"] += 1
        elif (length := prompt_tokens(row)) > selection.max_prompt_tokens:
            passed_over["too_long"] += 1
        else:
            found.append((length, row.row_id, row))
    found.sort(key=lambda item: item[:2])
    if not found:
        raise RowsError(
            f"No task fits the selection; passed over: {passed_over}. Raise max_prompt_tokens or "
            "max_reference_calls, or name other splits."
        )
    order = _in_turns(found, selection.splits) if selection.spread else found
    kept = sorted(order[: selection.max_tasks], key=lambda item: item[:2])
    passed_over["beyond_max_tasks"] = len(found) - len(kept)
    return ChosenTasks([row for _, _, row in kept], passed_over)


def _in_turns(found: Sequence[_Measured], splits: Sequence[str]) -> list[_Measured]:
    """Return tasks so that splits take turns, and within a split its domains."""
    by_split: list[list[_Measured]] = []
    for split in splits:
        own = [item for item in found if item[2].split == split]
        domains = sorted({item[2].domain for item in own})
        by_domain = [[item for item in own if item[2].domain == name] for name in domains]
        by_split.append(_dealt(by_domain))
    return _dealt(by_split)


def _dealt(piles: Sequence[Sequence[_Measured]]) -> list[_Measured]:
    """Return the items of several piles, one of each pile in turn."""
    return [item for layer in zip_longest(*piles) for item in layer if item is not None]
