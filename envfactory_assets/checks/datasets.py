"""Checks of the datasets and of which tasks they hold."""

from collections.abc import Sequence
from typing import cast, get_args

from envfactory_assets.checks.expectations import (
    all_zero,
    mean_at_least,
    one_of,
    row_count,
    unique,
    within,
)
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.datasets import (
    DatasetTask,
    PreferencePair,
    RlTask,
    SftExample,
    Split,
)
from envfactory_assets.records.record import JsonObject

_SPLITS = get_args(Split)


def _sft(rows: Sequence[SftExample], _: Evidence) -> Frame:
    texts = [_request(row.messages) for row in rows]
    return {
        "example_id": [row.example_id for row in rows],
        "split": [row.split for row in rows],
        "is_held_out_environment_leaked": _leaks(rows),
        "in_several_splits": _in_several_splits(texts, rows),
        "assistant_turns": [row.assistant_turns for row in rows],
    }


def _rl(rows: Sequence[RlTask], _: Evidence) -> Frame:
    return {
        "row_id": [row.row_id for row in rows],
        "split": [row.split for row in rows],
        "is_held_out_environment_leaked": _leaks(rows),
        "reference_calls": [len(cast("list[object]", row.reference["calls"])) for row in rows],
        "ends_with_user": [row.prompt[-1]["role"] == "user" for row in rows],
    }


def _tasks(rows: Sequence[DatasetTask], _: Evidence) -> Frame:
    return {
        "task_id": [row.task_id for row in rows],
        "split": [row.split for row in rows],
        "is_explained": [row.kept is not bool(row.drop_reason) for row in rows],
        "kept": [float(row.kept) for row in rows],
        "kept_without_calls": [int(row.kept and not row.tool_calls) for row in rows],
    }


def _preferences(rows: Sequence[PreferencePair], _: Evidence) -> Frame:
    return {
        "pair_id": [row.pair_id for row in rows],
        "split": [row.split for row in rows],
        "margin": [row.margin for row in rows],
        "is_the_same": [int(row.chosen == row.rejected) for row in rows],
        "is_said_by_the_user": [
            int(any(item["role"] == "user" for item in (*row.chosen, *row.rejected)))
            for row in rows
        ],
    }


def _leaks(rows: Sequence[SftExample] | Sequence[RlTask]) -> list[int]:
    """Mark held-out tasks all of whose environments are trained on as well."""
    trained = {name for row in rows if row.split == "train" for name in row.environment_ids}
    return [
        int(row.split == "test_environments" and set(row.environment_ids) <= trained)
        for row in rows
    ]


def _in_several_splits(texts: Sequence[str], rows: Sequence[SftExample]) -> list[int]:
    splits: dict[str, set[str]] = {}
    for text, row in zip(texts, rows, strict=True):
        splits.setdefault(text, set()).add(row.split)
    return [int(len(splits[text]) > 1) for text in texts]


def _request(messages: Sequence[JsonObject]) -> str:
    said = [str(item["content"]) for item in messages if item["role"] == "user"]
    return " ".join(" ".join(said).casefold().split())


CHECKS = [
    table_check(
        "dataset_tasks",
        DatasetTask,
        "Every proven task has a split, and every one that is left out a reason.",
        _tasks,
        [
            row_count(1),
            unique("task_id"),
            one_of("split", _SPLITS),
            one_of("is_explained", [True]),
            all_zero("kept_without_calls"),
            mean_at_least("kept", 0.2),
        ],
        is_partitioned=False,
    ),
    table_check(
        "preference_dataset",
        PreferencePair,
        "Both sides of a pair differ, the agent speaks them, and the better one earns more.",
        _preferences,
        [
            unique("pair_id"),
            one_of("split", _SPLITS),
            within("margin", 0.01, 1),
            all_zero("is_the_same"),
            all_zero("is_said_by_the_user"),
        ],
        is_partitioned=False,
    ),
    table_check(
        "sft_dataset",
        SftExample,
        "Ids are unique, held-out environments are not trained on, no request is in two splits.",
        _sft,
        [
            row_count(1),
            unique("example_id"),
            one_of("split", _SPLITS),
            all_zero("is_held_out_environment_leaked"),
            all_zero("in_several_splits"),
            within("assistant_turns", 1, None),
        ],
        is_partitioned=False,
    ),
    table_check(
        "rl_dataset",
        RlTask,
        "Ids are unique, held-out environments are not trained on, every task has a reference.",
        _rl,
        [
            row_count(1),
            unique("row_id"),
            one_of("split", _SPLITS),
            all_zero("is_held_out_environment_leaked"),
            within("reference_calls", 1, None),
            one_of("ends_with_user", [True]),
        ],
        is_partitioned=False,
    ),
]
