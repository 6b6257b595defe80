"""Rules of the review on order: which tool sensibly comes before another that it does not feed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, LeafKey
from envfactory_assets.stages.tool_graphs.naming import (
    Entity,
    entities,
    is_id,
    shared_entity,
    singular,
    with_article,
    words,
)

_CREATING = frozenset(
    {
        "add",
        "book",
        "create",
        "draft",
        "open",
        "place",
        "post",
        "put",
        "register",
        "reserve",
        "save",
        "schedule",
        "send",
        "start",
        "submit",
        "upload",
        "write",
    }
)


@dataclass(frozen=True, slots=True)
class Precedence:
    """One tool before another, and why."""

    source_tool: str
    target_tool: str
    reason: str


def order_tools(
    tools: Sequence[GraphTool],
    labels: Mapping[LeafKey, Label],
    feeding: set[tuple[str, str]],
) -> list[Precedence]:
    """Return which tools precede which within one environment, in a fixed order.

    Args:
        tools: The tools of a domain.
        labels: Who gives each input.
        feeding: Pairs of tools that a kept feed already puts in order.
    """
    found: dict[tuple[str, str], str] = {}
    identified = _identified(tools)
    for first, second in _pairs(tools):
        thing = _shown_before_change(first, second, labels)
        if thing:
            reason = f"{first.name} shows the {thing} that {second.name} acts on"
            found[first.tool, second.tool] = reason
    for first, second in _pairs(tools):
        thing = _created(first)
        is_other = thing and _created(second) != thing
        if not is_other or (second.tool, first.tool) in found:
            continue
        verb = _takes_up(second, thing, identified)
        if verb:
            reason = f"{first.name} makes {with_article(thing)}, which {second.name} {verb}"
            found.setdefault((first.tool, second.tool), reason)
    return [
        Precedence(first, second, reason)
        for (first, second), reason in sorted(found.items())
        if (first, second) not in feeding
    ]


def _pairs(tools: Sequence[GraphTool]) -> list[tuple[GraphTool, GraphTool]]:
    return [
        (first, second)
        for first in tools
        for second in tools
        if first.environment_id == second.environment_id and first.tool != second.tool
    ]


def _shown_before_change(
    first: GraphTool, second: GraphTool, labels: Mapping[LeafKey, Label]
) -> str:
    """Return the thing that a read is about and a write acts on, both given by its id."""
    if first.effect != "read" or second.effect != "write":
        return ""
    shared = shared_entity(_needed(first, labels), _needed(second, labels))
    about = singular(words(first.name)[-1])
    return shared if shared.endswith(about) else ""


def _needed(tool: GraphTool, labels: Mapping[LeafKey, Label]) -> frozenset[Entity]:
    return frozenset(
        entity
        for leaf in tool.inputs
        if leaf.required and labels[leaf.key].source == "internal"
        for entity in entities(leaf)
    )


def _identified(tools: Sequence[GraphTool]) -> frozenset[str]:
    """Return the nouns of things that have ids: those are handed on by feeds."""
    leaves = [leaf for tool in tools for leaf in (*tool.inputs, *tool.outputs)]
    return frozenset(entity[-1] for leaf in leaves if is_id(leaf) for entity in entities(leaf))


def _created(tool: GraphTool) -> str:
    parts = words(tool.name)
    if tool.effect != "write" or len(parts) < 2 or parts[0] not in _CREATING:
        return ""
    return singular(parts[-1])


def _takes_up(tool: GraphTool, thing: str, identified: frozenset[str]) -> str:
    named = {singular(word) for word in words(tool.name)}
    if tool.effect == "read":
        return "shows" if thing in named else ""
    if thing in identified:
        return ""
    described = {singular(word) for word in words(tool.description)}
    return "uses" if thing in named | described else ""
