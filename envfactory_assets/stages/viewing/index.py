"""What the list of tasks and its filters need of each task, and what every tool is called."""

from collections.abc import Mapping, Sequence
from typing import cast

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.viewing.corpus import Task
from envfactory_assets.stages.viewing.task_view import made_by
from envfactory_assets.stages.viewing.wording import title_of, tool_title


def index_entry(task: Task) -> JsonObject:
    """Return what the list shows of a task and what it can be found by."""
    row = task.filtered
    applied = {
        operation.name
        for query in task.turns
        for operation in query.operations
        if operation.applied
    }
    lost = {each.drop_reason for each in task.candidates if each.drop_reason}
    return {
        "id": row.task_id,
        "domain": row.domain,
        "environments": list(row.environment_ids),
        "difficulty": row.difficulty,
        "split": task.split or "none",
        "outcome": task.drop_reason or "kept",
        "made_by": made_by(task),
        "refinements": [*sorted(applied)],
        "attempts": [*sorted(lost)],
        "queries": list(row.queries),
        "persona": task.turns[0].persona if task.turns else "",
        "turns": row.turns,
        "calls": len(row.reference_calls),
        "reward": row.reward,
    }


def tool_names(tasks: Sequence[Task]) -> JsonObject:
    """Return every tool that an agent saw, by wire name, in words."""
    found: dict[str, JsonObject] = {}
    for task in tasks:
        for tool in task.filtered.tools:
            function = cast("JsonObject", tool["function"])
            name = str(function["name"])
            if name not in found:
                found[name] = _tool(name, function)
    return dict(sorted(found.items()))


def _tool(name: str, function: JsonObject) -> JsonObject:
    schema = cast("Mapping[str, JsonObject]", function.get("parameters") or {})
    properties = cast("Mapping[str, JsonObject]", schema.get("properties") or {})
    return {
        "title": tool_title(name),
        "environment": title_of(name.partition("__")[0]),
        "description": function.get("description"),
        "parameters": {key: value.get("description") for key, value in sorted(properties.items())},
    }
