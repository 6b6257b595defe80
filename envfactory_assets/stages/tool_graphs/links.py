"""Builds the cross-domain links, as rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.tool_graphs import CrossDomainLink
from envfactory_assets.stages.tool_graphs.ground_truth import FeedKey
from envfactory_assets.stages.tool_graphs.labels import ParameterLabeller
from envfactory_assets.stages.tool_graphs.leaves import GraphTool
from envfactory_assets.stages.tool_graphs.review import GraphReviewer, Verdict
from envfactory_assets.stages.tool_graphs.similarity import (
    Candidate,
    pair_similarities,
    propose_feeds,
)
from envfactory_resources.clients.embedding.embedding_model import EmbeddingModel


def build_links(
    tools: Sequence[GraphTool],
    model: EmbeddingModel,
    threshold: float,
    labeller: ParameterLabeller,
    reviewer: GraphReviewer,
    declared: frozenset[FeedKey] = frozenset(),
) -> tuple[CrossDomainLink, ...]:
    """Match and review the tools of several domains against each other.

    Args:
        tools: Tools of all domains, from verified environments.
        model: What measures similarity.
        threshold: The model's least cosine of a similarity edge.
        labeller: Says who gives each input.
        reviewer: Prunes and adds.
        declared: Pairs whose declared identifier types agree; only copied into the rows.
    """
    ordered = sorted(tools, key=lambda tool: tool.tool)
    candidates: list[Candidate] = []
    for domain in sorted({tool.domain for tool in ordered}):
        inside = [tool for tool in ordered if tool.domain == domain]
        outside = [tool for tool in ordered if tool.domain != domain]
        candidates += propose_feeds(outside, inside, model, threshold)
    review = reviewer.review_links(ordered, labeller.label(ordered), candidates)
    added = pair_similarities([(verdict.source, verdict.target) for verdict in review.added], model)
    rows = _LinkRows(model.model_id, reviewer.made_by, declared)
    links = [
        rows.link(verdict, pair.similarity, is_added=False)
        for verdict, pair in zip(review.judged, candidates, strict=True)
    ]
    links += [
        rows.link(verdict, similarity, is_added=True)
        for verdict, similarity in zip(review.added, added, strict=True)
    ]
    return tuple(sorted(links, key=_link_order))


@dataclass(frozen=True, slots=True)
class _LinkRows:
    """Turns verdicts into rows."""

    model_id: str
    made_by: str
    declared: frozenset[FeedKey]

    def link(self, verdict: Verdict, similarity: float, *, is_added: bool) -> CrossDomainLink:
        return CrossDomainLink(
            source_domain=verdict.source.domain,
            target_domain=verdict.target.domain,
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


def _link_order(link: CrossDomainLink) -> tuple[str, ...]:
    return link.source_tool, link.source_parameter, link.target_tool, link.target_parameter
