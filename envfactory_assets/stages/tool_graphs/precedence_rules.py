"""Rules of the review on order: which tool sensibly comes before another that it does not feed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, LeafKey
from envfactory_assets.stages.tool_graphs.naming import entities, singular, words

_CREATING = frozenset(
    {
        "add",
        "book",
        "create",
        "draft",
        "enroll",
        "invite",
        "open",
        "place",
        "post",
        "put",
        "register",
        "request",
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
    needed = {tool.tool: _needed_entities(tool, labels) for tool in tools}
    found: dict[tuple[str, str], str] = {}
    for first, second in _pairs(tools):
        shared = needed[first.tool] & needed[second.tool]
        if first.effect == "read" and second.effect == "write" and shared:
            found[first.tool, second.tool] = (
                f"{first.name} shows the {' and '.join(sorted(shared))} that {second.name} acts on"
            )
    for first, second in _pairs(tools):
        thing = _created(first)
        if not thing or (second.tool, first.tool) in found or _created(second) == thing:
            continue
        if _mentions(second, thing):
            verb = "changes or uses" if second.effect == "write" else "shows"
            reason = f"{first.name} makes a {thing}, which {second.name} {verb}"
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


def _needed_entities(tool: GraphTool, labels: Mapping[LeafKey, Label]) -> frozenset[str]:
    return frozenset(
        entity
        for leaf in tool.inputs
        if leaf.required and labels[leaf.key].source == "internal"
        for entity in entities(leaf)
    )


def _created(tool: GraphTool) -> str:
    parts = words(tool.name)
    if tool.effect != "write" or len(parts) < 2 or parts[0] not in _CREATING:
        return ""
    return singular(parts[-1])


def _mentions(tool: GraphTool, thing: str) -> bool:
    named = words(tool.name) + (words(tool.description) if tool.effect == "write" else ())
    return thing in {singular(word) for word in named}
