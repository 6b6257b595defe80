"""The baseline sampler: a random walk along the edges that does not look at what tools need."""

import random
from collections import Counter
from collections.abc import Sequence

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.tool_graphs import ToolGraphEdge, ToolParameter
from envfactory_assets.stages.chains.compiled_graph import CompiledGraph, Successor
from envfactory_assets.stages.chains.draft import ChainOrigin, Draft, SampleOutcome, as_record
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.turns import split_turns


def walk_chains(
    parameters: Sequence[ToolParameter],
    edges: Sequence[ToolGraphEdge],
    settings: SamplerSettings,
    seed: int,
    domain: str,
) -> SampleOutcome:
    """Draw chains by walking from a random tool along random edges.

    The walk never revisits a tool and binds whatever an earlier step happens to give, so that its
    chains fail for one reason only: an input that nothing gives.

    Args:
        parameters: Labelled leaves of the domain's tools.
        edges: Edges of the same tools; pruned ones are ignored.
        settings: How many and how long.
        seed: What the sample is drawn from.
        domain: Whose tools are walked.
    """
    own = [row for row in parameters if row.domain == domain]
    graph = CompiledGraph.compile(own, [edge for edge in edges if edge.domain == domain])
    origin = ChainOrigin(domain, seed, "random_walk")
    rng = random.Random(f"walks:{domain}:{seed}")
    seen: set[object] = set()
    chains: list[SampledChain] = []
    rejections: Counter[str] = Counter()
    attempts = 0
    limit = settings.chains_per_domain * settings.attempts_per_chain
    while graph.tools and len(chains) < settings.chains_per_domain and attempts < limit:
        attempts += 1
        draft = _walk(graph, settings, rng)
        if len(draft.tools) < settings.min_tools:
            rejections[f"shorter than {settings.min_tools} tools"] += 1
        elif draft.key() in seen:
            rejections["the same tools with the same bindings again"] += 1
        else:
            seen.add(draft.key())
            turn_sizes = split_turns(len(draft.tools), rng)
            chains.append(as_record(draft, turn_sizes, graph, origin))
    return SampleOutcome(tuple(chains), dict(sorted(rejections.items())), attempts)


def _walk(graph: CompiledGraph, settings: SamplerSettings, rng: random.Random) -> Draft:
    draft = Draft(goals=[0])
    length = rng.randint(min(settings.min_tools, settings.max_tools), settings.max_tools)
    _append(draft, Successor(rng.randrange(len(graph.tools)), "", ""), graph, settings, rng)
    while len(draft.tools) < length:
        followers = [
            item for item in graph.tools[draft.tools[-1]].successors if item.tool not in draft.tools
        ]
        if not followers:
            break
        _append(draft, rng.choice(followers), graph, settings, rng)
    return draft


def _append(
    draft: Draft,
    arrival: Successor,
    graph: CompiledGraph,
    settings: SamplerSettings,
    rng: random.Random,
) -> None:
    step = len(draft.tools)
    tool = graph.tools[arrival.tool]
    given = [
        need
        for group in tool.optional
        if rng.random() >= settings.skip_optional_probability
        for need in group
    ]
    for need in (*tool.required, *given):
        ready = [
            (earlier, leaf)
            for earlier, feeder in enumerate(draft.tools)
            for leaf in need.feeders.get(feeder, ())
        ]
        if need.path == arrival.target_path:
            draft.bindings.append((step, need.path, step - 1, arrival.source_path))
        elif need.is_external:
            draft.externals.append((step, need.path))
        elif ready:
            draft.bindings.append((step, need.path, *rng.choice(ready)))
    draft.append(arrival.tool, 0)
