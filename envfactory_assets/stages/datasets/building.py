"""Rows of both datasets, from the kept trajectories."""

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.datasets import RlTask, SftExample, Split
from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.trajectories import FilteredTrajectory
from envfactory_assets.stages.datasets.splits import split_of
from envfactory_assets.stages.reward.models import Reference, ReferenceCall
from envfactory_assets.stages.trajectories.reference import reference_from_json, reference_json
from envfactory_assets.stages.trajectories.replaying import replay_calls
from envfactory_assets.stages.trajectories.user_actions import as_heard
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall


def sft_examples(
    trajectories: Sequence[FilteredTrajectory], held_out: Sequence[str]
) -> list[SftExample]:
    """Return one conversation to imitate for every kept trajectory, in order of task id."""
    return [
        SftExample(
            example_id=row.task_id,
            task_id=row.task_id,
            domain=row.domain,
            environment_ids=row.environment_ids,
            split=_split(row, held_out),
            messages=tuple(as_heard(message) for message in row.messages),
            tools=row.tools,
            assistant_turns=sum(message["role"] == "assistant" for message in row.messages),
            difficulty=row.difficulty,
            made_by=row.made_by,
        )
        for row in _kept(trajectories)
    ]


def rl_tasks(
    trajectories: Sequence[FilteredTrajectory], catalog: Catalog, held_out: Sequence[str]
) -> list[RlTask]:
    """Return one task a turn of every kept trajectory, in order of task id and turn.

    A turn starts from the states that the reference of the earlier turns leaves behind, and its
    own reference covers its own calls only.
    """
    return [task for row in _kept(trajectories) for task in _turns_of(row, catalog, held_out)]


def _kept(trajectories: Sequence[FilteredTrajectory]) -> list[FilteredTrajectory]:
    return sorted((row for row in trajectories if row.kept), key=lambda row: row.task_id)


def _split(row: FilteredTrajectory, held_out: Sequence[str]) -> Split:
    tools = [str(call["tool"]) for call in row.reference_calls]
    return split_of(tools, row.environment_ids, held_out)


def _turns_of(row: FilteredTrajectory, catalog: Catalog, held_out: Sequence[str]) -> list[RlTask]:
    scenario = Scenario.model_validate(row.scenario)
    whole = _whole_reference(row)
    tasks: list[RlTask] = []
    for turn in range(row.turns):
        own = [index for index, call in enumerate(row.reference_calls) if call["turn"] == turn]
        if not own:
            continue
        calls = [_tool_call(whole.calls[index]) for index in own]
        after = replay_calls(scenario, calls, catalog)
        reference = Reference(
            calls=tuple(
                _rebased(whole.calls[index], own, is_last=turn == row.turns - 1) for index in own
            ),
            initial_states=scenario.states,
            end_states=after.states,
        )
        tasks.append(_task(row, turn, scenario, reference, held_out))
        scenario = Scenario(seed=scenario.seed, start=scenario.start, states=after.states)
    return tasks


def _task(
    row: FilteredTrajectory,
    turn: int,
    scenario: Scenario,
    reference: Reference,
    held_out: Sequence[str],
) -> RlTask:
    return RlTask(
        row_id=f"{row.task_id}/{turn}",
        task_id=row.task_id,
        domain=row.domain,
        environment_ids=row.environment_ids,
        split=_split(row, held_out),
        turn=turn,
        prompt=tuple(_prompt(row, turn)),
        tools=row.tools,
        scenario=cast("JsonObject", scenario.model_dump(mode="json")),
        reference=reference_json(reference),
        disclosures=_of_turn(row.disclosures, turn),
        user_actions=_of_turn(row.user_actions, turn),
        difficulty=row.difficulty,
        made_by=row.made_by,
    )


def _of_turn(items: Sequence[JsonObject], turn: int) -> tuple[JsonObject, ...]:
    return tuple(
        {key: value for key, value in item.items() if key != "turn"}
        for item in items
        if item["turn"] == turn
    )


def _prompt(row: FilteredTrajectory, turn: int) -> list[JsonObject]:
    """Return the conversation up to and including the user's request that begins a turn.

    What the user says in between answers questions of the agent.
    """
    begun = 0
    for index, message in enumerate(row.messages):
        if message["role"] == "user" and message["content"] == row.queries[begun]:
            if begun == turn:
                return [as_heard(heard) for heard in row.messages[: index + 1]]
            begun += 1
    raise ValueError(f"The conversation of {row.task_id} lacks the request of turn {turn}.")


def _rebased(call: ReferenceCall, own: list[int], *, is_last: bool) -> ReferenceCall:
    """Return a call as one of its turn's own.

    A writing call's masks hold for the end of the task, so only the last turn keeps them: what it
    wrote may have been overwritten since.
    """
    return ReferenceCall(
        tool=call.tool,
        arguments=call.arguments,
        effect=call.effect,
        masked=call.masked if is_last or call.effect == "read" else (),
        after=tuple(own.index(index) for index in call.after if index in own),
        produced=call.produced,
        identifiers=call.identifiers,
        actor=call.actor,
    )


def _whole_reference(row: FilteredTrajectory) -> Reference:
    calls: list[JsonValue] = [
        {key: value for key, value in call.items() if key != "turn"} for call in row.reference_calls
    ]
    return reference_from_json(
        {
            "calls": calls,
            "initial_states": cast("JsonObject", row.scenario["states"]),
            "end_states": row.end_states,
            "is_refusal": False,
        }
    )


def _tool_call(call: ReferenceCall) -> ToolCall:
    return ToolCall(tool=call.tool, arguments=dict(call.arguments), actor=call.actor)
