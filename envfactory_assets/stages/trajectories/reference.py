"""Building the reference of a task, and reading it back from its row."""

import random
from collections.abc import Sequence
from typing import cast

from pydantic import TypeAdapter

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.models import Reference, ReferenceCall
from envfactory_assets.stages.trajectories.proofs import (
    Recording,
    masked_arguments,
    partial_order,
)
from envfactory_assets.stages.trajectories.replaying import Replay, identifier_arguments
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall

_REFERENCE: TypeAdapter[Reference] = TypeAdapter(Reference)


def build_reference(
    scenario: Scenario,
    calls: Sequence[ToolCall],
    catalog: Catalog,
    settings: TrajectorySettings,
    task_id: str,
) -> tuple[Reference, Replay]:
    """Run calls from a scenario and return them as a reference, with order and masks proven."""
    recording = Recording.of(scenario, calls, catalog)
    recorded = recording.replay
    after = partial_order(recording)
    rng = random.Random(f"masks:{settings.seed}:{task_id}")
    masks = masked_arguments(recording, settings.perturbations, rng)
    built = tuple(
        ReferenceCall(
            tool=call.tool,
            arguments=record.bound or {},
            effect=record.effect,
            masked=masked,
            after=order,
            produced=produced,
            identifiers=identifier_arguments(catalog.tools[call.tool]),
            actor=call.actor,
        )
        for call, record, produced, order, masked in zip(
            calls, recorded.records, recorded.produced, after, masks, strict=True
        )
    )
    reference = Reference(calls=built, initial_states=scenario.states, end_states=recorded.states)
    return reference, recorded


def reference_json(reference: Reference) -> JsonObject:
    """Return a reference as plain JSON values; `reference_from_json` gives it back."""
    return cast("JsonObject", _REFERENCE.dump_python(reference, mode="json"))


def reference_from_json(value: JsonObject) -> Reference:
    """Read a reference from JSON values.

    Raises:
        pydantic.ValidationError: If the value is not a reference.
    """
    return _REFERENCE.validate_python(value)
