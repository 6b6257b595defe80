import json
import os
import random
import subprocess
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envfactory_assets.stages.chains.compiled_graph import CompiledGraph
from envfactory_assets.stages.chains.random_walk import walk_chains
from envfactory_assets.stages.chains.sampling import sample_chains
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.validation import ChainChecker

_ROOT = Path(__file__).parents[4]
_LIMITS = SamplerSettings(
    chains_per_domain=12,
    attempts_per_chain=5,
    max_depth=2,
    max_tools=6,
    max_environments=2,
    max_branches=2,
    extra_prerequisite_probability=0.3,
    skip_optional_probability=0.4,
    cross_domain_probability=0.4,
)
_QUICK = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _can_write(rows):
    graph = CompiledGraph.compile(
        [row for row in rows.parameters if row.domain == "office"], rows.edges
    )
    return any(
        tool.writes and depth <= _LIMITS.max_depth
        for tool, depth in zip(graph.tools, graph.depths, strict=True)
    )


@given(data=st.data(), seed=st.integers(0, 3))
@_QUICK
def test_every_chain_of_any_graph_is_valid(random_graphs, data, seed):
    rows = data.draw(random_graphs)
    checker = ChainChecker(rows.parameters, rows.edges, rows.links)

    outcome = sample_chains(rows.parameters, rows.edges, rows.links, _LIMITS, seed, "office")

    assert {chain.chain_id: checker.faults(chain) for chain in outcome.chains} == {
        chain.chain_id: [] for chain in outcome.chains
    }


@given(data=st.data(), seed=st.integers(0, 3))
@_QUICK
def test_limits_hold_and_no_attempt_is_lost(random_graphs, data, seed):
    rows = data.draw(random_graphs)
    writing = {row.tool for row in rows.parameters if row.effect == "write"}
    own = {row.tool for row in rows.parameters if row.domain == "office"}

    outcome = sample_chains(rows.parameters, rows.edges, rows.links, _LIMITS, seed, "office")

    for chain in outcome.chains:
        assert 2 <= len(chain.tools) <= 6
        assert chain.depth <= 2
        assert 1 <= chain.branch_count <= 2
        assert len(chain.environment_ids) <= 2
        assert own & set(chain.tools)
        assert all(binding.source_step < binding.target_step for binding in chain.bindings)
    assert len(outcome.chains) + sum(outcome.rejections.values()) == outcome.attempts
    assert len({(chain.tools, chain.bindings) for chain in outcome.chains}) == len(outcome.chains)
    read_only = sum(not writing & set(chain.tools) for chain in outcome.chains)
    assert read_only <= 0.25 * len(outcome.chains) or not _can_write(rows)


@given(data=st.data(), seed=st.integers(0, 3))
@_QUICK
def test_the_order_of_rows_does_not_matter(random_graphs, data, seed):
    rows = data.draw(random_graphs)
    expected = sample_chains(rows.parameters, rows.edges, rows.links, _LIMITS, seed, "office")
    shuffler = random.Random(seed)
    for part in (rows.parameters, rows.edges, rows.links):
        shuffler.shuffle(part)

    again = sample_chains(rows.parameters, rows.edges, rows.links, _LIMITS, seed, "office")

    assert again == expected


@given(data=st.data(), seed=st.integers(0, 3))
@_QUICK
def test_a_random_walk_is_never_more_valid(random_graphs, data, seed):
    rows = data.draw(random_graphs)
    checker = ChainChecker(rows.parameters, rows.edges)
    needed = {
        (row.tool, row.parameter)
        for row in rows.parameters
        if row.direction == "input" and row.required and row.source == "internal"
    }

    outcome = walk_chains(rows.parameters, rows.edges, _LIMITS, seed, "office")

    for chain in outcome.chains:
        # The only way in which a walk fails is an input that nothing gives.
        faults = checker.faults(chain)
        assert all("lacks the required" in fault for fault in faults)
        assert len(faults) <= sum(
            (tool, path) in needed for tool in chain.tools for path in ("a_id", "b_id")
        )
    assert len(outcome.chains) + sum(outcome.rejections.values()) == outcome.attempts


_SCRIPT = """
import json, random, sys
from envfactory_assets.stages.chains.sampling import sample_chains
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.tool_graphs.building import build_tool_graph
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from sandboxes.core.catalog import Catalog

tools = graph_tools(Catalog.discover(), ["travel.hotel_booking"])
random.Random(int(sys.argv[1])).shuffle(tools)
graph = build_tool_graph(tools, HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer())
outcome = sample_chains(
    graph.parameters, graph.edges, [], SamplerSettings(chains_per_domain=40), 5, "travel"
)
print(json.dumps([[chain.model_dump_json() for chain in outcome.chains], outcome.rejections]))
"""


def test_processes_with_other_hash_seeds_give_the_same_bytes():
    def run(seed):
        return subprocess.run(
            [sys.executable, "-c", _SCRIPT, seed],
            cwd=_ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout

    first, second = run("1"), run("2")

    assert first == second
    assert len(json.loads(first)[0]) == 40
