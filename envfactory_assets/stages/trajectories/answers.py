"""What the rule-based teacher tells the user at the end of a turn."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from envfactory_assets.records.queries import PlannedArgument, PlannedCall
from envfactory_assets.stages.queries.phrasing import clause_for, render
from envfactory_assets.stages.queries.wording import join_words, mentions, spellings, words_of
from envfactory_assets.stages.trajectories.past_tense import past, told_to_the_user
from sandboxes.core.catalog import Catalog
from sandboxes.core.json_paths import leaves_at, parent_of, value_at
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.core.state_values import singular
from sandboxes.core.tool import Tool

_MOST_NAMES = 3
_MOST_FACTS = 3
_MOST_FIGURES = 2
_LONGEST_FACT = 80
_FIGURES = frozenset({"number", "integer", "date", "date-time"})
_NAMING = frozenset({"string", "date", "date-time"})


@dataclass(frozen=True, slots=True)
class DoneCall:
    """A planned call that was carried out.

    Attributes:
        plan: The call as it was planned.
        arguments: What it was called with.
        result: What it returned.
    """

    plan: PlannedCall
    arguments: JsonObject
    result: JsonObject


def answer_for(done: Sequence[DoneCall], catalog: Catalog) -> str:
    """Return a short report of what the calls of a turn did and found, without ids.

    Look-ups that a later call of the turn built on are not told.
    """
    used = {argument.source_step for item in done for argument in item.plan.provenance}
    sentences = [
        _report(item, catalog.tools[item.plan.tool])
        for item in done
        if item.plan.effect == "write" or item.plan.step not in used
    ]
    return " ".join(sentences) or "I could not do that."


def facts_of(tool: Tool, result: JsonObject) -> list[str]:
    """Return the first few facts of a result that say something to a person, without ids."""
    return [f"{_words(leaf)} {_short(value)}" for leaf, value in _told(tool, result)][:_MOST_FACTS]


def _report(item: DoneCall, tool: Tool) -> str:
    if tool.effect == "write":
        return _deed(item, tool)
    result = item.result
    containers = dict.fromkeys(
        parent_of(leaf.path) for leaf in tool.outputs if parent_of(leaf.path).count("[]") == 1
    )
    name = _name(tool, result)
    if name or not containers:
        facts = [f"{_words(leaf)} {_short(value)}" for leaf, value in _told(tool, result)]
        return f"{name or 'I found'}: {', '.join(facts[:_MOST_FACTS])}."
    figures = [
        f"{_words(leaf)} {_short(value)}"
        for leaf, value in _told(tool, result)
        if leaf.type in _FIGURES
    ]
    lists = ", and ".join(_list(tool, result, container) for container in containers)
    told_figures = f" ({', '.join(figures[:_MOST_FIGURES])})" if figures else ""
    return f"I found {lists}{told_figures}."


def _deed(item: DoneCall, tool: Tool) -> str:
    """Return what a writing call did, in the user's words, with what came of it."""
    provenance = tuple(_as_called(argument, item) for argument in item.plan.provenance)
    call = item.plan.model_copy(update={"provenance": provenance})
    clause = clause_for(call, tool, 0, random.Random(item.plan.step))
    told = render(replace(clause, template=told_to_the_user(clause.template)))
    verb, _, rest = told.partition(" ")
    sentence = f"I {past(verb)} {rest}".rstrip()
    figures = [
        f"{_words(leaf)}: {_short(value)}"
        for leaf, value in _told(tool, item.result)
        if leaf.type in _FIGURES and value and not mentions(sentence, value)
    ]
    told_figures = f" ({', '.join(figures[:_MOST_FIGURES])})" if figures else ""
    return f"{sentence}{told_figures}."


def _as_called(argument: PlannedArgument, item: DoneCall) -> PlannedArgument:
    """Return a value that the user said as it was passed on in truth."""
    if argument.source == "result":
        return argument
    value = value_at(item.arguments, argument.path)
    return argument.model_copy(update={"value": value})


def _list(tool: Tool, result: JsonObject, container: str) -> str:
    """Return what a list holds: how many of what, and the first names."""
    words = words_of(container)
    leaves = [leaf for leaf in tool.outputs if parent_of(leaf.path) == container]
    rows = max(len(leaves_at(result, leaf.path)) for leaf in leaves)
    if not rows:
        return f"no {words}"
    named = sorted(leaves, key=lambda leaf: (not leaf.is_label, leaf.type not in _NAMING))
    names = [_quoted(value) for _, value in leaves_at(result, named[0].path)]
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    counted = f"1 {singular(words)}" if rows == 1 else f"{rows} {words}"
    return f"{counted}: {join_words(names[:_MOST_NAMES] + more)}"


def _name(tool: Tool, result: JsonObject) -> str:
    """Return the name of the one thing that a result is about; nothing where it is a list."""
    for leaf in tool.outputs:
        if leaf.is_label and not leaf.is_list:
            return _short(value_at(result, leaf.path) or "")
    return ""


def _told(tool: Tool, result: JsonObject) -> list[tuple[Parameter, JsonValue]]:
    """Return the single facts of a result that say something to a person."""
    return [
        (leaf, value)
        for leaf in tool.outputs
        if not (leaf.is_list or leaf.is_label or (leaf.identifier and not leaf.speakable))
        for _, value in leaves_at(result, leaf.path)
        if not isinstance(value, bool)
    ]


def _words(leaf: Parameter) -> str:
    return told_to_the_user(words_of(leaf.path))


def _quoted(value: JsonValue) -> str:
    """Return a name as it is, and a text of whole sentences in quotes."""
    text = _short(value)
    return f"'{text}'" if "," in text or text.endswith((".", "?", "!")) else text


def _short(value: JsonValue) -> str:
    text = spellings(value)[0]
    return text if len(text) <= _LONGEST_FACT else f"{text[: _LONGEST_FACT - 1]}…"
