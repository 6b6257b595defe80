"""How fast the tool graph of all shipped environments is built, and how right it is.

Run `python benchmarks/tool_graph.py [--sweep]`. Times are CPU seconds of one core: first with an
empty vector cache, then with the vectors cached and the model not loaded. Scores compare the edges
with the identifier types that the environments declare; outputs that repeat an input of their own
call count neither way. `--sweep` prints the scores of similarity alone at other thresholds, which
is how the packaged model's threshold was chosen.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from envfactory_assets.records.tool_graphs import CrossDomainLink
from envfactory_assets.stages.tool_graphs.building import ToolGraph, build_tool_graph
from envfactory_assets.stages.tool_graphs.ground_truth import declared_feeds, declared_sources
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.links import build_links
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_assets.stages.tool_graphs.scores import (
    EdgeScore,
    feed_key,
    score_edges,
    score_labels,
    score_pairs,
)
from envfactory_assets.stages.tool_graphs.similarity import propose_feeds
from envfactory_resources.clients.embedding.embedding_model import EmbeddingModel
from envfactory_resources.clients.embedding.sentence_transformer import (
    SentenceTransformerEmbedding,
)
from envfactory_resources.clients.embedding.similarity_threshold import similarity_threshold
from sandboxes.core.catalog import Catalog

TARGET_SECONDS = 5.0
SWEEP = (0.6, 0.65, 0.7, 0.75, 0.8, 0.825, 0.85, 0.875, 0.9, 0.95)


def build_pool(
    catalog: Catalog, model: EmbeddingModel, threshold: float
) -> tuple[dict[str, ToolGraph], tuple[CrossDomainLink, ...]]:
    """Build the graph of every domain and the links between them."""
    graphs: dict[str, ToolGraph] = {}
    for domain in sorted({source.domain for source in catalog.sources}):
        tools = graph_tools(catalog, [item.environment_id for item in catalog.in_domain(domain)])
        graphs[domain] = build_tool_graph(tools, model, threshold, RuleLabeller(), RuleReviewer())
    everything = graph_tools(catalog, [source.environment_id for source in catalog.sources])
    return graphs, build_links(everything, model, threshold, RuleLabeller(), RuleReviewer())


def timed_build(catalog: Catalog, folder: Path) -> float:
    """Return the CPU seconds that building everything takes with a model object of its own."""
    started = time.process_time()
    model = SentenceTransformerEmbedding(cache_dir=folder)
    build_pool(catalog, model, similarity_threshold(model.model_id))
    return time.process_time() - started


def shown(score: EdgeScore) -> str:
    """Return a score as one cell."""
    return f"{score.precision:.2f} / {score.recall:.2f} / {score.f1:.2f}"


def summed(scores: Sequence[EdgeScore]) -> EdgeScore:
    """Return the score over several domains."""
    return EdgeScore(
        right=sum(score.right for score in scores),
        wrong=sum(score.wrong for score in scores),
        missed=sum(score.missed for score in scores),
    )


def print_scores(catalog: Catalog, graphs: dict[str, ToolGraph]) -> None:
    """Print precision, recall and F1 of every domain."""
    print(
        "\n| domain | tools | feeds kept | similarity P/R/F1 | reviewed P/R/F1 | internal P/R/F1 |"
    )
    print("|---|---|---|---|---|---|")
    alone: list[EdgeScore] = []
    reviewed: list[EdgeScore] = []
    for domain, graph in graphs.items():
        ids = [source.environment_id for source in catalog.in_domain(domain)]
        scores = score_edges(graph.edges, declared_feeds(catalog, ids))
        labels = score_labels(graph.parameters, declared_sources(catalog, ids))
        kept = sum(edge.kept and edge.kind == "feeds" for edge in graph.edges)
        tools = len({row.tool for row in graph.parameters})
        alone.append(scores.similarity)
        reviewed.append(scores.reviewed)
        print(
            f"| {domain} | {tools} | {kept} | {shown(scores.similarity)} | "
            f"{shown(scores.reviewed)} | {shown(labels)} |"
        )
    print(f"| all | | | {shown(summed(alone))} | {shown(summed(reviewed))} | |")


def print_links(catalog: Catalog, links: Sequence[CrossDomainLink]) -> None:
    """Print how many links there are and how many are of one declared type."""
    ids = [source.environment_id for source in catalog.sources]
    declared = declared_feeds(catalog, ids)
    kept = {feed_key(link) for link in links if link.kept}
    print(
        f"\nCross-domain links: {len(kept)} kept of {len(links)} looked at, precision "
        f"{score_pairs(kept, declared).precision:.2f}."
    )


def print_sweep(catalog: Catalog, model: EmbeddingModel) -> None:
    """Print the scores of similarity alone at several thresholds."""
    print("\n| threshold | similarity P/R/F1 |\n|---|---|")
    for threshold in SWEEP:
        scores: list[EdgeScore] = []
        for domain in sorted({source.domain for source in catalog.sources}):
            ids = [source.environment_id for source in catalog.in_domain(domain)]
            tools = graph_tools(catalog, ids)
            pairs = propose_feeds(tools, tools, model, threshold)
            proposed = {(*pair.source.key, *pair.target.key) for pair in pairs}
            scores.append(score_pairs(proposed, declared_feeds(catalog, ids)))
        print(f"| {threshold} | {shown(summed(scores))} |")


def main() -> None:
    """Build, time and score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sweep", action="store_true", help="score other thresholds too")
    sweep = parser.parse_args().sweep
    catalog = Catalog.discover()
    tool_count = len(catalog.tools)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cold = timed_build(catalog, folder)
        cached = min(timed_build(catalog, folder) for _ in range(3))
        model = SentenceTransformerEmbedding(cache_dir=folder)
        threshold = similarity_threshold(model.model_id)
        graphs, links = build_pool(catalog, model, threshold)
        print(f"{tool_count} tools, {model.model_id}, threshold {threshold}")
        print(
            f"vectors to compute: {cold:.2f} s; cached: {cached:.2f} s (target {TARGET_SECONDS} s)"
        )
        print_scores(catalog, graphs)
        print_links(catalog, links)
        if sweep:
            print_sweep(catalog, model)


if __name__ == "__main__":
    main()
