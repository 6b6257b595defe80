"""The check of `refusal_tasks`."""

from collections.abc import Sequence
from typing import cast

from envfactory_assets.checks.expectations import all_zero, one_of, unique, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.datasets import RefusalTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.refusals.conduct import answered_reward


def _refusals(rows: Sequence[RefusalTask], _: Evidence) -> Frame:
    return {
        "row_id": [row.row_id for row in rows],
        "is_refusal": [row.reference["is_refusal"] for row in rows],
        # Not the row's own word for it: the answer is scored again.
        "answer_reward": [min(row.answer_reward, answered_reward(row.reference)) for row in rows],
        "wrong_reward": [row.wrong_reward for row in rows],
        "offers_what_is_missing": [int(row.missing in _names(row)) for row in rows],
        "ends_with_user": [row.prompt[-1]["role"] == "user" for row in rows],
    }


def _names(row: RefusalTask) -> list[object]:
    return [cast("JsonObject", item["function"])["name"] for item in row.tools]


CHECKS = [
    table_check(
        "refusal_tasks",
        RefusalTask,
        "Declining earns everything, doing it all the same nothing, and what is missing is.",
        _refusals,
        [
            unique("row_id"),
            one_of("is_refusal", [True]),
            within("answer_reward", 1, 1),
            within("wrong_reward", 0, 0),
            all_zero("offers_what_is_missing"),
            one_of("ends_with_user", [True]),
        ],
        is_partitioned=False,
    )
]
