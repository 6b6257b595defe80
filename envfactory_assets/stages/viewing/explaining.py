"""Why an attempt earned what it did, in the reward's own sentences."""

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue, ValidationError

from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory
from envfactory_assets.stages.reward.errors import RewardError
from envfactory_assets.stages.reward.models import Attempt, AttemptedCall, Reference
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.trajectories.reference import reference_from_json

_States = Mapping[str, Mapping[str, JsonValue]]


def reference_of(row: FilteredTrajectory) -> Reference | None:
    """Return a row's reference; None when no attempt can be scored against it."""
    calls: list[JsonValue] = [
        {key: value for key, value in call.items() if key != "turn"} for call in row.reference_calls
    ]
    try:
        return reference_from_json(
            {
                "calls": calls,
                "initial_states": row.scenario["states"],
                "end_states": row.end_states,
            }
        )
    except (RewardError, ValidationError):
        return None


def why(reference: Reference | None, row: CandidateTrajectory) -> list[str]:
    """Return what an attempt did wrong, compared with the reference; nothing when all is right."""
    if reference is None:
        return []
    attempt = Attempt(
        calls=tuple(_attempted(call) for call in row.calls),
        end_states=cast("_States", row.end_states),
    )
    try:
        return list(evaluate(reference, attempt).explanation)
    except RewardError:
        return []


def _attempted(call: JsonObject) -> AttemptedCall:
    return AttemptedCall(
        tool=str(call["tool"]),
        arguments=cast("JsonObject", call["arguments"]),
        bound=cast("JsonObject | None", call["bound"]),
        ok=bool(call["ok"]),
        effect="write" if call["effect"] == "write" else "read",
        error=cast("str | None", call["error"]),
        actor="user" if call.get("actor") == "user" else "agent",
    )
