from envfactory_assets.stages.chains.random_walk import walk_chains
from envfactory_assets.stages.chains.sampling import sample_chains
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.validation import ChainChecker
from envfactory_assets.stages.tool_graphs.building import build_tool_graph
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from sandboxes.core.catalog import Catalog

_SETTINGS = SamplerSettings(chains_per_domain=100)


def _invalid_share(outcome, checker):
    return sum(bool(checker.faults(chain)) for chain in outcome.chains) / len(outcome.chains)


def test_a_walk_gives_invalid_chains_where_the_topology_gives_none():
    tools = graph_tools(Catalog.discover(), ["travel.hotel_booking"])
    graph = build_tool_graph(tools, HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer())
    checker = ChainChecker(graph.parameters, graph.edges)

    walked = walk_chains(graph.parameters, graph.edges, _SETTINGS, 0, "travel")
    sampled = sample_chains(graph.parameters, graph.edges, [], _SETTINGS, 0, "travel")

    assert _invalid_share(walked, checker) > 0.2
    assert _invalid_share(sampled, checker) == 0.0
    assert {chain.sampler for chain in walked.chains} == {"random_walk"}
    assert {chain.sampler for chain in sampled.chains} == {"topology"}


def test_a_walk_follows_edges_and_visits_no_tool_twice(booking_rows):
    outcome = walk_chains(booking_rows.parameters, booking_rows.edges, _SETTINGS, 0, "office")
    joined = {(edge.source_tool, edge.target_tool) for edge in booking_rows.edges}

    assert outcome.chains
    for chain in outcome.chains:
        assert set(zip(chain.tools, chain.tools[1:], strict=False)) <= joined
        assert len(set(chain.tools)) == len(chain.tools)


def test_the_same_seed_walks_the_same_way(booking_rows):
    def walk(seed):
        return walk_chains(booking_rows.parameters, booking_rows.edges, _SETTINGS, seed, "office")

    assert walk(1) == walk(1)
    assert walk(1) != walk(2)
