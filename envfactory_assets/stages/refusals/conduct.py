"""What one earns in a turn that cannot be done: by declining, and by doing it all the same."""

from typing import cast

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.models import Attempt, AttemptedCall
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.trajectories.reference import reference_from_json
from envfactory_assets.stages.trajectories.replaying import replay_calls
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall


def answered_reward(reference: JsonObject) -> float:
    """Return what an answer without any call earns."""
    refusal = reference_from_json(reference)
    return evaluate(refusal, Attempt(calls=(), end_states=refusal.initial_states)).total


def carried_out_reward(reference: JsonObject, task: RlTask, catalog: Catalog) -> float:
    """Return what the calls that the turn was built for earn, now that they are not right.

    They stand for every made-up value as well: whatever is written, the states are not untouched.
    """
    calls = [
        ToolCall(tool=str(call["tool"]), arguments=cast("JsonObject", call["arguments"]))
        for call in cast("list[JsonObject]", task.reference["calls"])
    ]
    replay = replay_calls(Scenario.model_validate(task.scenario), calls, catalog)
    attempt = Attempt(
        calls=tuple(AttemptedCall.of(record) for record in replay.records), end_states=replay.states
    )
    return evaluate(reference_from_json(reference), attempt).total
