"""The logical review: keeps or prunes what similarity proposed, adds what it missed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from envfactory_assets.stages.tool_graphs.feed_rules import judge_feed, reason_to_add
from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf, LeafKey
from envfactory_assets.stages.tool_graphs.precedence_rules import Precedence, order_tools
from envfactory_assets.stages.tool_graphs.similarity import Candidate


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the review says about one pair of leaves."""

    source: Leaf
    target: Leaf
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Review:
    """The outcome of a review.

    Attributes:
        judged: One verdict for each candidate, in their order.
        added: Pairs that similarity missed.
        precedences: Tools that come before others without feeding them.
    """

    judged: tuple[Verdict, ...]
    added: tuple[Verdict, ...]
    precedences: tuple[Precedence, ...]


class GraphReviewer(Protocol):
    """Role: reads the proposed graph and says what makes sense."""

    @property
    def made_by(self) -> str:
        """What rows say about who decided."""
        ...

    def review(
        self,
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
        candidates: Sequence[Candidate],
    ) -> Review:
        """Return the verdicts on the candidates, the missing feeds and the precedences."""
        ...


class RuleReviewer:
    """Reviews by names, types and descriptions; needs no model."""

    made_by = "rules"

    def review(
        self,
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
        candidates: Sequence[Candidate],
    ) -> Review:
        """Return the verdicts on the candidates, the missing feeds and the precedences."""
        by_name = {tool.tool: tool for tool in tools}
        judged: list[Verdict] = []
        for pair in candidates:
            verdict = judge_feed(
                pair.source, pair.target, by_name[pair.source.tool], labels[pair.target.key]
            )
            judged.append(Verdict(pair.source, pair.target, verdict.kept, verdict.reason))
        seen = {(pair.source.key, pair.target.key) for pair in candidates}
        added = _missing_feeds(tools, labels, seen)
        feeding = {
            (verdict.source.tool, verdict.target.tool)
            for verdict in (*judged, *added)
            if verdict.kept
        }
        return Review(tuple(judged), tuple(added), tuple(order_tools(tools, labels, feeding)))


def _missing_feeds(
    tools: Sequence[GraphTool],
    labels: Mapping[LeafKey, Label],
    seen: set[tuple[LeafKey, LeafKey]],
) -> list[Verdict]:
    added: list[Verdict] = []
    for target in (leaf for tool in tools for leaf in tool.inputs):
        for tool in tools:
            for source in tool.outputs:
                if (source.key, target.key) in seen:
                    continue
                reason = reason_to_add(source, target, tool, labels[target.key])
                if reason:
                    added.append(Verdict(source, target, kept=True, reason=reason))
    return added
