"""Calls of stored rows, as a session takes them and as the reward reads them."""

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.trajectories import CandidateTrajectory
from envfactory_assets.stages.reward.models import Attempt, AttemptedCall
from sandboxes.core.session import ToolCall
from sandboxes.core.tool import Actor


def stored_attempt(row: CandidateTrajectory) -> Attempt:
    """Return a stored attempt as the reward reads it."""
    return Attempt(
        calls=tuple(attempted_call(call) for call in row.calls),
        end_states=cast("dict[str, JsonObject]", row.end_states),
    )


def attempted_call(call: Mapping[str, JsonValue]) -> AttemptedCall:
    """Return a stored call of an attempt as the reward reads it."""
    return AttemptedCall(
        tool=str(call["tool"]),
        arguments=cast("JsonObject", call["arguments"]),
        bound=cast("JsonObject | None", call["bound"]),
        ok=bool(call["ok"]),
        effect="write" if call["effect"] == "write" else "read",
        error=cast("str | None", call["error"]),
        actor=_actor(call),
    )


def stored_call(call: Mapping[str, JsonValue]) -> ToolCall:
    """Return a stored call, of an attempt or of a reference, as a session takes it."""
    arguments = cast("JsonObject", call["arguments"])
    return ToolCall(tool=str(call["tool"]), arguments=arguments, actor=_actor(call))


def _actor(call: Mapping[str, JsonValue]) -> Actor:
    return "user" if call.get("actor") == "user" else "agent"
