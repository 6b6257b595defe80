"""Builds the tool graph of one domain, as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envfactory_assets.records.tool_graphs import ToolGraphEdge, ToolParameter
from envfactory_assets.stages.tool_graphs.ground_truth import FeedKey
from envfactory_assets.stages.tool_graphs.labels import Label, ParameterLabeller, label_by_rules
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf, LeafKey
from envfactory_assets.stages.tool_graphs.precedence_rules import Precedence
from envfactory_assets.stages.tool_graphs.review import GraphReviewer, Review, Verdict
from envfactory_assets.stages.tool_graphs.similarity import (
    Candidate,
    pair_similarities,
    propose_feeds,
)
from envfactory_resources.clients.embedding.embedding_model import EmbeddingModel


@dataclass(frozen=True, slots=True)
class ToolGraph:
    """The rows of one domain's tool graph, in a fixed order."""

    parameters: tuple[ToolParameter, ...]
    edges: tuple[ToolGraphEdge, ...]


def build_tool_graph(
    tools: Sequence[GraphTool],
    model: EmbeddingModel,
    threshold: float,
    labeller: ParameterLabeller,
    reviewer: GraphReviewer,
    declared: frozenset[FeedKey] = frozenset(),
) -> ToolGraph:
    """Label, match and review the tools of one domain.

    Args:
        tools: The domain's tools, from verified environments.
        model: What measures similarity.
        threshold: The model's least cosine of a similarity edge.
        labeller: Says who gives each input.
        reviewer: Prunes, adds and orders.
        declared: Pairs whose declared identifier types agree. Only copied into the rows, for
            scores; the edges do not depend on it.
    """
    ordered = sorted(tools, key=lambda tool: tool.tool)
    labels = labeller.label(ordered)
    candidates = propose_feeds(ordered, ordered, model, threshold)
    review = reviewer.review(ordered, labels, candidates)
    labels = _without_starving(ordered, labels, review)
    rows = _EdgeRows(model.model_id, reviewer.made_by, declared)
    edges = [
        *rows.similar(candidates, review.judged),
        *rows.added(review, model),
        *(rows.precedence(item, ordered) for item in review.precedences),
    ]
    return ToolGraph(
        parameters=tuple(_parameter_rows(ordered, labels, labeller.made_by)),
        edges=tuple(sorted(edges, key=_edge_order)),
    )


@dataclass(frozen=True, slots=True)
class _EdgeRows:
    """Turns verdicts into rows."""

    model_id: str
    made_by: str
    declared: frozenset[FeedKey]

    def similar(
        self, candidates: Sequence[Candidate], verdicts: Sequence[Verdict]
    ) -> list[ToolGraphEdge]:
        return [
            self._feed(verdict, pair.similarity, is_added=False)
            for pair, verdict in zip(candidates, verdicts, strict=True)
        ]

    def added(self, review: Review, model: EmbeddingModel) -> list[ToolGraphEdge]:
        pairs = [(verdict.source, verdict.target) for verdict in review.added]
        return [
            self._feed(verdict, similarity, is_added=True)
            for verdict, similarity in zip(
                review.added, pair_similarities(pairs, model), strict=True
            )
        ]

    def _feed(self, verdict: Verdict, similarity: float, *, is_added: bool) -> ToolGraphEdge:
        return ToolGraphEdge(
            domain=verdict.target.domain,
            kind="feeds",
            source_tool=verdict.source.tool,
            source_parameter=verdict.source.path,
            target_tool=verdict.target.tool,
            target_parameter=verdict.target.path,
            similarity=similarity,
            origin="review" if is_added else "similarity",
            kept=verdict.kept,
            reason=verdict.reason,
            declared=(*verdict.source.key, *verdict.target.key) in self.declared,
            model_id=self.model_id,
            made_by=self.made_by,
        )

    def precedence(self, item: Precedence, tools: Sequence[GraphTool]) -> ToolGraphEdge:
        return ToolGraphEdge(
            domain=next(tool.domain for tool in tools if tool.tool == item.target_tool),
            kind="precedes",
            source_tool=item.source_tool,
            source_parameter="",
            target_tool=item.target_tool,
            target_parameter="",
            similarity=None,
            origin="review",
            kept=True,
            reason=item.reason,
            declared=False,
            model_id=self.model_id,
            made_by=self.made_by,
        )


def _without_starving(
    tools: Sequence[GraphTool], labels: Mapping[LeafKey, Label], review: Review
) -> dict[LeafKey, Label]:
    """Return the labels, those of the rules for needed inputs that a tool must give and none does.

    A model may take for an id what people say; rules that find no source either stand by theirs.
    """
    verdicts = (*review.judged, *review.added)
    fed = {
        item.target.key for item in verdicts if item.kept and item.source.tool != item.target.tool
    }
    found = dict(labels)
    for leaf in (leaf for tool in tools for leaf in tool.inputs if leaf.required):
        rule = label_by_rules(leaf)
        is_starving = labels[leaf.key].source == "internal" and leaf.key not in fed
        if is_starving and rule.source == "external":
            reason = f"by rules, as no tool gives what the model says one must give: {rule.reason}"
            found[leaf.key] = Label(rule.source, reason)
    return found


def _parameter_rows(
    tools: Sequence[GraphTool], labels: Mapping[LeafKey, Label], made_by: str
) -> list[ToolParameter]:
    def row(tool: GraphTool, leaf: Leaf) -> ToolParameter:
        label = labels[leaf.key] if leaf.direction == "input" else None
        return ToolParameter(
            domain=tool.domain,
            environment_id=tool.environment_id,
            tool=tool.tool,
            effect=tool.effect,
            parameter=leaf.path,
            direction=leaf.direction,
            type=leaf.type,
            description=leaf.description,
            required=leaf.required,
            source=label.source if label else None,
            reason=label.reason if label else "",
            made_by=made_by,
        )

    return [row(tool, leaf) for tool in tools for leaf in (*tool.inputs, *tool.outputs)]


def _edge_order(edge: ToolGraphEdge) -> tuple[str, ...]:
    return (
        edge.kind,
        edge.source_tool,
        edge.source_parameter,
        edge.target_tool,
        edge.target_parameter,
    )
