"""Alternative references: other calls by which an attempt came to the same."""

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.models import Reference
from envfactory_assets.stages.reward.state_equality import compare_states
from envfactory_assets.stages.trajectories.replaying import Replay, replay_calls
from sandboxes.core.canonical import canonical_json
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall


def alternative_references(
    reference: Reference, attempts: Mapping[str, Sequence[ToolCall]], catalog: Catalog
) -> list[JsonObject]:
    """Return the attempts that prove to be another way to the reference's outcome.

    One is, when its calls, replayed from the scenario, all succeed, leave the same end states up to
    renaming of created ids, and show every result that a look-up of the reference shows. So an
    attempt that skips a look-up, or looks up something else, is none. Calls without which all that
    still holds are left out first: doing a thing twice is no other way of doing it.

    Args:
        reference: The reference.
        attempts: Calls by trajectory id, without refused ones.
        catalog: Holds the environments.
    """
    own = [
        ToolCall(tool=call.tool, arguments=dict(call.arguments), actor=call.actor)
        for call in reference.calls
    ]
    states = cast("dict[str, dict[str, JsonValue]]", dict(reference.initial_states))
    scenario = Scenario(seed=0, start="", states=states)
    recorded = replay_calls(scenario, own, catalog)

    def proven(calls: Sequence[ToolCall]) -> Replay | None:
        replay = replay_calls(scenario, calls, catalog)
        same = replay.is_clean and compare_states(reference, replay.states, 0).is_equal
        return replay if same and _shown(recorded) <= _shown(replay) else None

    found: list[JsonObject] = []
    seen = {_bound(recorded)}
    for trajectory_id, calls in attempts.items():
        needed = list(calls) if proven(calls) else []
        for index in reversed(range(len(needed))):
            fewer = [*needed[:index], *needed[index + 1 :]]
            needed = fewer if proven(fewer) else needed
        replay = proven(needed)
        if replay is None or _bound(replay) in seen:
            continue
        seen.add(_bound(replay))
        listed: list[JsonValue] = [call.model_dump(mode="json") for call in needed]
        found.append({"trajectory_id": trajectory_id, "calls": listed})
    return found


def _shown(replay: Replay) -> set[str]:
    return {
        canonical_json({"tool": record.tool, "result": record.result})
        for record in replay.records
        if record.effect == "read"
    }


def _bound(replay: Replay) -> str:
    return canonical_json([[record.tool, record.bound] for record in replay.records])
