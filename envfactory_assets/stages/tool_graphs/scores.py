"""How well the edges agree with what the environments declare."""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter
from envfactory_assets.stages.tool_graphs.ground_truth import DeclaredFeeds, FeedKey


class EdgeScore(BaseModel):
    """Agreement of some feeds with the declared ones.

    Attributes:
        right: Proposed and declared.
        wrong: Proposed and not declared.
        missed: Declared and not proposed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of the proposed feeds that are declared; 1 when nothing was proposed."""
        return _share(self.right, self.wrong)

    @property
    def recall(self) -> float:
        """Share of the declared feeds that were proposed; 1 when nothing was declared."""
        return _share(self.right, self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


class GraphScores(BaseModel):
    """Scores of a tool graph before and after the review."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    similarity: EdgeScore
    reviewed: EdgeScore


def score_edges(
    edges: Iterable[ToolGraphEdge | CrossDomainLink], declared: DeclaredFeeds
) -> GraphScores:
    """Score the similarity edges alone, and the edges that the review kept.

    Args:
        edges: Rows of the graph, pruned ones included.
        declared: The declared feeds of the same environments.
    """
    feeds = [edge for edge in edges if edge.kind == "feeds"]
    proposed = {feed_key(edge) for edge in feeds if edge.origin == "similarity"}
    kept = {feed_key(edge) for edge in feeds if edge.kept}
    return GraphScores(
        similarity=score_pairs(proposed, declared), reviewed=score_pairs(kept, declared)
    )


def score_pairs(proposed: set[FeedKey], declared: DeclaredFeeds) -> EdgeScore:
    """Score proposed pairs of leaves; void pairs do not count."""
    counted = proposed - declared.void
    right = len(counted & declared.real)
    return EdgeScore(right=right, wrong=len(counted) - right, missed=len(declared.real) - right)


def score_labels(
    parameters: Iterable[ToolParameter], declared: Mapping[tuple[str, str], str]
) -> EdgeScore:
    """Score the `internal` labels against the declared ones."""
    labelled = {(row.tool, row.parameter) for row in parameters if row.source == "internal"}
    internal = {key for key, source in declared.items() if source == "internal"}
    right = len(labelled & internal)
    return EdgeScore(right=right, wrong=len(labelled) - right, missed=len(internal) - right)


def feed_key(edge: ToolGraphEdge | CrossDomainLink) -> FeedKey:
    """Return the pair of leaves that a feed joins."""
    return edge.source_tool, edge.source_parameter, edge.target_tool, edge.target_parameter


def _share(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else 1.0
