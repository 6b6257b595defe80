"""The logical review: keeps or prunes what similarity proposed, adds what it missed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from envfactory_assets.stages.tool_graphs.feed_rules import FeedVerdict, judge_feed
from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf, LeafKey
from envfactory_assets.stages.tool_graphs.link_rules import judge_link
from envfactory_assets.stages.tool_graphs.naming import is_id, spoken_kind
from envfactory_assets.stages.tool_graphs.precedence_rules import Precedence, order_tools
from envfactory_assets.stages.tool_graphs.similarity import Candidate, types_fit


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
        """Review one domain: verdicts on the candidates, missing feeds, precedences."""
        ...

    def review_links(
        self,
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
        candidates: Sequence[Candidate],
    ) -> Review:
        """Review feeds between domains: verdicts on the candidates, missing feeds."""
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
        """Review one domain: verdicts on the candidates, missing feeds, precedences."""
        by_name = {tool.tool: tool for tool in tools}

        def judge(source: Leaf, target: Leaf) -> FeedVerdict:
            return judge_feed(source, target, by_name[source.tool], labels[target.key])

        judged = [_verdict(pair.source, pair.target, judge) for pair in candidates]
        pairs = [
            (source, target)
            for source, target in _unseen_pairs(tools, candidates)
            if source.tool != target.tool
        ]
        added = _missing(pairs, judge)
        feeding = {
            (verdict.source.tool, verdict.target.tool)
            for verdict in (*judged, *added)
            if verdict.kept
        }
        return Review(tuple(judged), tuple(added), tuple(order_tools(tools, labels, feeding)))

    def review_links(
        self,
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
        candidates: Sequence[Candidate],
    ) -> Review:
        """Review feeds between domains: verdicts on the candidates, missing feeds."""
        by_name = {tool.tool: tool for tool in tools}

        def judge(source: Leaf, target: Leaf) -> FeedVerdict:
            return judge_link(source, target, by_name, labels)

        judged = [_verdict(pair.source, pair.target, judge) for pair in candidates]
        pairs = [
            (source, target)
            for source, target in _unseen_pairs(tools, candidates)
            if source.domain != target.domain
        ]
        return Review(tuple(judged), tuple(_missing(pairs, judge)), ())


_Judge = Callable[[Leaf, Leaf], FeedVerdict]


def _verdict(source: Leaf, target: Leaf, judge: _Judge) -> Verdict:
    found = judge(source, target)
    return Verdict(source, target, found.kept, found.reason)


def _unseen_pairs(
    tools: Sequence[GraphTool], candidates: Sequence[Candidate]
) -> Iterator[tuple[Leaf, Leaf]]:
    """Yield the pairs of compatible type that similarity did not propose and a value could join.

    Only ids and names that people say are looked at; nothing else is ever fed.
    """
    seen = {(pair.source.key, pair.target.key) for pair in candidates}
    givers = [leaf for tool in tools for leaf in tool.outputs if is_id(leaf) or spoken_kind(leaf)]
    takers = [leaf for tool in tools for leaf in tool.inputs if is_id(leaf) or spoken_kind(leaf)]
    for target in takers:
        for source in givers:
            if types_fit(source, target) and (source.key, target.key) not in seen:
                yield source, target


def _missing(pairs: Iterable[tuple[Leaf, Leaf]], judge: _Judge) -> list[Verdict]:
    verdicts = [_verdict(source, target, judge) for source, target in pairs]
    return [
        replace(verdict, reason=f"missed by similarity: {verdict.reason}")
        for verdict in verdicts
        if verdict.kept
    ]
