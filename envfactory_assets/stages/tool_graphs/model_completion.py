"""What a model finds missing in the graph of one environment: feeds and orders, each checked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.tool_graphs.descriptions import (
    bullets,
    describe_leaf,
    describe_tool,
)
from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, LeafKey
from envfactory_assets.stages.tool_graphs.precedence_rules import Precedence
from envfactory_assets.stages.tool_graphs.review import Verdict
from envfactory_assets.stages.tool_graphs.similarity import types_fit

_PROMPT = Path(__file__).parent / "prompts" / "graph_completion.txt"
_WHOLE = "graph"


class _MissingFeed(BaseModel):
    """An output that feeds an input."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    source_tool: str
    source_parameter: str
    target_tool: str
    target_parameter: str
    reason: str


class _Order(BaseModel):
    """A tool that comes before another."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    first_tool: str
    later_tool: str
    reason: str


class _Missing(BaseModel):
    """What the graph lacks."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    feeds: list[_MissingFeed]
    orders: list[_Order]


@dataclass(frozen=True, slots=True)
class Completion:
    """What was found missing.

    Attributes:
        added: Feeds, all kept.
        precedences: Tools that come before others without feeding them.
        ignored: What the model proposed and could not be used, counted by reason.
    """

    added: tuple[Verdict, ...]
    precedences: tuple[Precedence, ...]
    ignored: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True)
class ModelCompleter:
    """Asks a model what is missing; where it gives no usable answer, the rules' orders stand.

    Attributes:
        role: Who is asked.
        labels: Who gives each input.
        verdicts: What has been judged already.
        by_rules: The orders that rules find.
    """

    role: ModelRole
    labels: Mapping[LeafKey, Label]
    verdicts: Sequence[Verdict]
    by_rules: Sequence[Precedence]

    def complete(self, tools: Sequence[GraphTool]) -> Completion:
        """Return what is missing between the tools of one environment."""

        def ask(_: Sequence[str], note: str) -> dict[str, _Missing]:
            return {_WHOLE: self.role.ask(_PROMPT, self._question(tools, note), _Missing)}

        answer = self.role.ask_about([_WHOLE], ask)
        ignored: Counter[str] = Counter()
        missing = answer.get(_WHOLE)
        added = self._usable_feeds(missing.feeds, tools, ignored) if missing else []
        fed = {
            (verdict.source.tool, verdict.target.tool)
            for verdict in (*self.verdicts, *added)
            if verdict.kept
        }
        names = {tool.tool for tool in tools}
        proposed = self._orders_by_rules(names) if missing is None else _orders(missing)
        orders = _usable_orders(proposed, names, fed, ignored)
        return Completion(tuple(added), tuple(orders), ignored)

    def _question(self, tools: Sequence[GraphTool], note: str) -> str:
        parts = [self._describe(tool) for tool in tools]
        names = {tool.tool for tool in tools}
        known = [
            f"{item.source.tool} {item.source.path} to {item.target.tool} {item.target.path}"
            for item in self.verdicts
            if item.kept and item.source.tool in names and item.target.tool in names
        ]
        parts.append(f"Feeds that are already there:\n{bullets(known) or 'None.'}")
        return "\n\n".join([*parts, note] if note else parts)

    def _describe(self, tool: GraphTool) -> str:
        inputs = [f"[{self.labels[leaf.key].source}] {describe_leaf(leaf)}" for leaf in tool.inputs]
        outputs = [describe_leaf(leaf) for leaf in tool.outputs]
        return (
            f"{describe_tool(tool)}\n  Inputs:\n{bullets(inputs, '  ')}\n"
            f"  Outputs:\n{bullets(outputs, '  ')}"
        )

    def _usable_feeds(
        self, feeds: Sequence[_MissingFeed], tools: Sequence[GraphTool], ignored: Counter[str]
    ) -> list[Verdict]:
        outputs = {leaf.key: leaf for tool in tools for leaf in tool.outputs}
        inputs = {leaf.key: leaf for tool in tools for leaf in tool.inputs}
        seen = {(verdict.source.key, verdict.target.key) for verdict in self.verdicts}
        found: list[Verdict] = []
        for feed in feeds:
            source = outputs.get((feed.source_tool, feed.source_parameter))
            target = inputs.get((feed.target_tool, feed.target_parameter))
            if source is None or target is None:
                ignored["unknown_leaf"] += 1
            elif source.tool == target.tool:
                ignored["feeds_itself"] += 1
            elif not types_fit(source, target):
                ignored["types_differ"] += 1
            elif (source.key, target.key) in seen:
                ignored["already_judged"] += 1
            else:
                seen.add((source.key, target.key))
                reason = f"missed by similarity: {feed.reason.strip() or 'no reason given'}"
                found.append(Verdict(source, target, kept=True, reason=reason))
        return found

    def _orders_by_rules(self, names: set[str]) -> list[Precedence]:
        return [
            Precedence(
                item.source_tool,
                item.target_tool,
                f"by rules, as the model gave no answer: {item.reason}",
            )
            for item in self.by_rules
            if item.source_tool in names
        ]


def _orders(missing: _Missing) -> list[Precedence]:
    return [
        Precedence(item.first_tool, item.later_tool, item.reason.strip() or "no reason given")
        for item in missing.orders
    ]


def _usable_orders(
    proposed: Sequence[Precedence],
    names: set[str],
    fed: set[tuple[str, str]],
    ignored: Counter[str],
) -> list[Precedence]:
    found: dict[tuple[str, str], Precedence] = {}
    for item in proposed:
        first, later = item.source_tool, item.target_tool
        if not {first, later} <= names or first == later:
            ignored["unknown_tools"] += 1
        elif (first, later) in fed:
            ignored["already_fed"] += 1
        elif (later, first) in found or (first, later) in found:
            ignored["order_repeated_or_reversed"] += 1
        else:
            found[first, later] = item
    return [found[pair] for pair in sorted(found)]
