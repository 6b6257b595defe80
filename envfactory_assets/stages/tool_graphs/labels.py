"""Who gives an input: a user can say it (external), or only a tool can give it (internal)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from envfactory_assets.records.tool_graphs import Source
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf, LeafKey
from envfactory_assets.stages.tool_graphs.naming import (
    entities,
    is_id,
    spoken_kind,
    with_article,
    words,
)

_SHOWN_VALUES = 4


@dataclass(frozen=True, slots=True)
class Label:
    """Who gives one input, and why."""

    source: Source
    reason: str


class ParameterLabeller(Protocol):
    """Role: decides who gives each input."""

    @property
    def made_by(self) -> str:
        """What rows say about who decided."""
        ...

    def label(self, tools: Sequence[GraphTool]) -> Mapping[LeafKey, Label]:
        """Return a label for every input leaf of some tools."""
        ...


class RuleLabeller:
    """Labels inputs by name, type and description; needs no model."""

    made_by = "rules"

    def label(self, tools: Sequence[GraphTool]) -> Mapping[LeafKey, Label]:
        """Return a label for every input leaf of some tools."""
        return {leaf.key: label_by_rules(leaf) for tool in tools for leaf in tool.inputs}


def label_by_rules(leaf: Leaf) -> Label:
    """Return the label of one input leaf."""
    if leaf.enum:
        shown = ", ".join(leaf.enum[:_SHOWN_VALUES])
        more = ", …" if len(leaf.enum) > _SHOWN_VALUES else ""
        return Label("external", f"a choice the user names: {shown}{more}")
    if leaf.type in ("date", "date-time"):
        return Label("external", f"a {leaf.type} the user states")
    if is_id(leaf):
        return Label("internal", _id_reason(leaf))
    if leaf.type in ("integer", "number"):
        return Label("external", "a number the user states")
    if leaf.type == "boolean":
        return Label("external", "a yes or no from the user")
    kind = spoken_kind(leaf)
    if kind:
        return Label("external", f"a name people say: {kind}")
    return Label("external", "text the user words")


def _id_reason(leaf: Leaf) -> str:
    named = " or ".join(sorted(" ".join(entity) for entity in entities(leaf)))
    of_what = f" of {with_article(named)}" if named else ""
    by_name = words(leaf.name)[-1:] in (("id",), ("ids",))
    return f"an id{of_what}, by its {'name' if by_name else 'description'}"
