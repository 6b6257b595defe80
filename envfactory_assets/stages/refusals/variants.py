"""Variants of a turn that cannot be done: without its tool, or without a value nobody knows.

Both are made from a turn that writes once, so that declining it leaves nothing else undone. The
request and the states stay as they are; what is taken away is one tool, or the user's knowledge of
a value that the request leaves out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from envfactory_assets.records.datasets import RefusalTask, RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.queries.wording import mentions, words_of
from envfactory_assets.stages.refusals.conduct import answered_reward, carried_out_reward
from envfactory_assets.stages.refusals.irreplaceable import (
    is_irreplaceable,
    places_changed,
    writes_of,
)
from envfactory_assets.stages.trajectories.replaying import replay_calls
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall

MADE_BY = "refusals:rules"
UNKNOWN = "I do not know the {topic}, so I cannot tell you."


MANY_WRITES = "does_not_write_once"
USER_ACTS = "only_the_user_can_do_a_part"
NO_VARIANT = "another_tool_could_do_it_and_nothing_is_kept_back"
NOT_PROVEN = "rewards_do_not_tell_right_from_wrong"


@dataclass(frozen=True, slots=True)
class Refusals:
    """The variants, and the turns and variants that came to nothing, counted by reason."""

    rows: list[RefusalTask]
    dropped: dict[str, int]


def refusal_tasks(tasks: Sequence[RlTask], catalog: Catalog) -> Refusals:
    """Return every variant of some turns that is proven, in order of the turns.

    Proven is that the right answer earns everything, and doing it all the same nothing.

    Args:
        tasks: The turns, of all splits.
        catalog: Holds the environments.
    """
    changed = places_changed(tasks)
    rows: list[RefusalTask] = []
    dropped: Counter[str] = Counter()
    for task in tasks:
        if task.user_actions:
            dropped[USER_ACTS] += 1
            continue
        writes = writes_of(task)
        if len(writes) != 1:
            dropped[MANY_WRITES] += 1
            continue
        found: list[RefusalTask] = []
        tool = str(writes[0]["tool"])
        offered = [
            name
            for name in _names(task.tools)
            if name != tool and catalog.tools[name].effect == "write"
        ]
        if is_irreplaceable(tool, offered, changed) and not _was_used(tool, task.prompt):
            found.append(_without_tool(task, tool, catalog))
        found += _without_value(task, writes[0], catalog)
        proven = [row for row in found if row.answer_reward == 1.0 and row.wrong_reward == 0.0]
        dropped[NOT_PROVEN] += len(found) - len(proven)
        dropped[NO_VARIANT] += not found
        rows += proven
    return Refusals(rows, {reason: count for reason, count in sorted(dropped.items()) if count})


def _without_tool(task: RlTask, tool: str, catalog: Catalog) -> RefusalTask:
    answer = f"I have no tool to {_deed(tool)}, so I cannot do that. I have not changed anything."
    tools = tuple(item for item in task.tools if _names([item]) != [tool])
    messages: list[JsonObject] = [{"role": "assistant", "content": answer}]
    return _variant(task, catalog, "missing_tool", tool, messages, tools, task.disclosures)


def _without_value(task: RlTask, write: JsonObject, catalog: Catalog) -> Iterable[RefusalTask]:
    arguments = cast("JsonObject", write["arguments"])
    masked = cast("list[str]", write["masked"])
    for item in task.disclosures:
        path, topic = str(item["path"]), str(item["topic"])
        if arguments.get(path) != item["value"] or path in masked:
            continue
        if mentions(_heard_and_shown(task, catalog), item["value"]):
            continue
        unknown = UNKNOWN.format(topic=topic)
        deed = _deed(str(write["tool"]))
        messages: list[JsonObject] = [
            {"role": "assistant", "content": f"Could you tell me the {topic}?"},
            {"role": "user", "content": unknown},
            {
                "role": "assistant",
                "content": f"Without the {topic} I cannot {deed}. I have not changed anything.",
            },
        ]
        disclosures = tuple(
            {**other, "value": None, "answer": unknown} if other is item else other
            for other in task.disclosures
        )
        yield _variant(task, catalog, "missing_parameter", topic, messages, task.tools, disclosures)


def _variant(
    task: RlTask,
    catalog: Catalog,
    variant: str,
    missing: str,
    answer: Sequence[JsonObject],
    tools: tuple[JsonObject, ...],
    disclosures: tuple[JsonObject, ...],
) -> RefusalTask:
    reference = _refusal_of(task.reference)
    columns = {name: getattr(task, name) for name in RlTask.model_fields}
    columns |= {
        "row_id": f"{task.row_id}/{variant}",
        "tools": tools,
        "disclosures": disclosures,
        "reference": reference,
        "made_by": f"{task.made_by},{MADE_BY}",
    }
    return RefusalTask(
        **columns,
        variant="missing_tool" if variant == "missing_tool" else "missing_parameter",
        missing=missing,
        answer=tuple(answer),
        answer_reward=answered_reward(reference),
        wrong_reward=carried_out_reward(reference, task, catalog),
    )


def _refusal_of(reference: JsonObject) -> JsonObject:
    """Return a turn's reference as a refusal: nothing changes, and looking first is allowed."""
    calls = cast("list[JsonObject]", reference["calls"])
    write = next(place for place, call in enumerate(calls) if call["effect"] == "write")
    return {
        **reference,
        "calls": list(calls[:write]),
        "end_states": reference["initial_states"],
        "is_refusal": True,
    }


def _heard_and_shown(task: RlTask, catalog: Catalog) -> str:
    """Return all that the agent can know: what was said and shown, and what its looks show."""
    looks = cast("list[JsonObject]", _refusal_of(task.reference)["calls"])
    calls = [
        ToolCall(tool=str(call["tool"]), arguments=cast("JsonObject", call["arguments"]))
        for call in looks
    ]
    replay = replay_calls(Scenario.model_validate(task.scenario), calls, catalog)
    shown = [record.reply() for record in replay.records]
    return "\n".join([*(str(message["content"]) for message in task.prompt), *shown])


def _deed(tool: str) -> str:
    """Return what a tool is for, by its name: `book the room`."""
    verb, _, rest = words_of(tool.split("__")[1]).partition(" ")
    return f"{verb} the {rest}" if rest else verb


def _was_used(tool: str, prompt: Sequence[JsonObject]) -> bool:
    return any(message.get("name") == tool for message in prompt)


def _names(tools: Iterable[JsonObject]) -> list[str]:
    return [str(cast("JsonObject", item["function"])["name"]) for item in tools]
