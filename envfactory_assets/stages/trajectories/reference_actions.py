"""The user's actions of a task as its reference has them: what a row tells a trainer's user."""

from collections.abc import Iterator, Sequence
from typing import cast

from envfactory_assets.records.queries import RefinedQuery, UserAction
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.models import AttemptedCall
from envfactory_assets.stages.trajectories.user_actions import made_before, planned_actions
from sandboxes.core.catalog import Catalog


def reference_actions(
    queries: Sequence[RefinedQuery], reference_calls: Sequence[JsonObject], catalog: Catalog
) -> Iterator[JsonObject]:
    """Yield what the user does in a reference, each with its turn, in order of the calls.

    An id in the arguments is looked up where a call of the same turn creates it; what earlier
    turns create stands in the states that a trainer starts the turn from.

    Args:
        queries: The turns of the task.
        reference_calls: The reference's calls with their turns.
        catalog: Holds the environments.
    """
    planned = {turn: list(actions) for turn, actions in planned_actions(queries, catalog).items()}
    for index, call in enumerate(reference_calls):
        turn, arguments = cast("int", call["turn"]), cast("JsonObject", call["arguments"])
        alike = [item for item in planned.get(turn, ()) if item.tool == call["tool"]]
        if call.get("actor") != "user" or not alike:
            continue
        action = next((item for item in alike if item.arguments == arguments), alike[0])
        planned[turn].remove(action)
        yield {"turn": turn, **_as_made(action, arguments, reference_calls[:index], turn)}


def _as_made(
    action: UserAction, arguments: JsonObject, before: Sequence[JsonObject], turn: int
) -> JsonObject:
    earlier = [
        AttemptedCall(
            tool=str(call["tool"]),
            arguments=cast("JsonObject", call["arguments"]),
            bound=cast("JsonObject", call["arguments"]),
            ok=True,
            effect="write" if call["effect"] == "write" else "read",
            produced=tuple(cast("list[str]", call["produced"])),
        )
        for call in before
        if call["turn"] == turn
    ]
    made = made_before(arguments, earlier)
    changed = action.model_copy(update={"arguments": arguments, "made": made})
    return changed.model_dump(mode="json")
