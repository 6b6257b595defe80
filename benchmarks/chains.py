"""How many of the sampled chains are valid, and how fast they are drawn, against a random walk.

Run `python benchmarks/chains.py [--trial]`. Rates are chains per second of CPU time of one core,
the best of three runs; valid chains are those in which `ChainChecker` finds no fault. `--trial`
also carries the chains out on generated scenarios, and shows how many of them the services accept
without and with a trial while drawing.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.stages.chains.draft import SampleOutcome
from envfactory_assets.stages.chains.feasibility import ScenarioTrial
from envfactory_assets.stages.chains.random_walk import walk_chains
from envfactory_assets.stages.chains.sampling import sample_chains
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.validation import ChainChecker
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.tool_graphs.building import ToolGraph, build_tool_graph
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from sandboxes.core.catalog import Catalog

TARGET_PER_SECOND = 2_000
RUNS = 3
CHAINS = 1_000
TRIED_CHAINS = 64
THRESHOLD = 0.7
TRIAL_SCENARIOS = 2


@dataclass(frozen=True)
class Figures:
    """What one sampler did with one domain."""

    drawn: int
    valid: int
    seconds: float

    @property
    def row(self) -> str:
        """The cells of a table."""
        share = self.valid / self.drawn if self.drawn else 0.0
        return f"{self.drawn} | {share:.1%} | {self.valid / self.seconds:,.0f}"


def measure(draw: Callable[[], SampleOutcome], checker: ChainChecker) -> Figures:
    """Time a sampler and check what it drew."""
    seconds = float("inf")
    chains: tuple[SampledChain, ...] = ()
    for _ in range(RUNS):
        started = time.process_time()
        chains = draw().chains
        seconds = min(seconds, time.process_time() - started)
    valid = sum(not checker.faults(chain) for chain in chains)
    return Figures(len(chains), valid, seconds)


def print_comparison(graphs: dict[str, ToolGraph]) -> None:
    """Print validity and speed of both samplers for every domain."""
    settings = SamplerSettings(chains_per_domain=CHAINS)
    print(f"valid chains per second; target {TARGET_PER_SECOND:,}\n")
    print("| domain | topology: drawn | valid | valid/s | walk: drawn | valid | valid/s |")
    print("|---|---|---|---|---|---|---|")
    totals: list[tuple[Figures, Figures]] = []
    for domain, graph in graphs.items():
        checker = ChainChecker(graph.parameters, graph.edges)
        rows = (graph.parameters, graph.edges)
        topology = partial(sample_chains, *rows, [], settings, 0, domain)
        walk = partial(walk_chains, *rows, settings, 0, domain)
        pair = (measure(topology, checker), measure(walk, checker))
        totals.append(pair)
        print(f"| {domain} | {pair[0].row} | {pair[1].row} |")
    print(f"| all | {summed([a for a, _ in totals]).row} | {summed([b for _, b in totals]).row} |")


def summed(figures: Sequence[Figures]) -> Figures:
    """Return the figures over all domains."""
    return Figures(
        sum(item.drawn for item in figures),
        sum(item.valid for item in figures),
        sum(item.seconds for item in figures),
    )


def print_trial(graphs: dict[str, ToolGraph], catalog: Catalog) -> None:
    """Print how many chains the services accept, without and with a trial while drawing."""
    settings = SamplerSettings(chains_per_domain=TRIED_CHAINS)
    judge = ScenarioTrial(catalog, QuerySettings())
    trial = ScenarioTrial(catalog, QuerySettings(scenario_attempts=TRIAL_SCENARIOS))
    print("\n| domain | feasible, drawn without trial | feasible, with | tools a chain | seconds |")
    print("|---|---|---|---|---|")
    for domain, graph in graphs.items():
        plain = sample_chains(graph.parameters, graph.edges, [], settings, 0, domain).chains
        started = time.process_time()
        tried = sample_chains(graph.parameters, graph.edges, [], settings, 0, domain, trial).chains
        seconds = time.process_time() - started
        accepted = [
            sum(judge.failing_step(item) is None for item in part) for part in (plain, tried)
        ]
        length = sum(len(chain.tools) for chain in tried) / len(tried)
        print(
            f"| {domain} | {accepted[0]} of {len(plain)} | {accepted[1]} of {len(tried)} "
            f"| {length:.1f} | {seconds:.1f} |"
        )


def main() -> None:
    """Draw, check and time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trial", action="store_true", help="carry the chains out too")
    with_trial = parser.parse_args().trial
    catalog = Catalog.discover()
    graphs: dict[str, ToolGraph] = {}
    for domain in sorted({source.domain for source in catalog.sources}):
        ids = [source.environment_id for source in catalog.in_domain(domain)]
        graphs[domain] = build_tool_graph(
            graph_tools(catalog, ids),
            HashingEmbedding(),
            THRESHOLD,
            RuleLabeller(),
            RuleReviewer(),
        )
    print_comparison(graphs)
    if with_trial:
        print_trial(graphs, catalog)


if __name__ == "__main__":
    main()
