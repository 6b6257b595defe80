import pytest

from envfactory_assets.stages.chains.feasibility import ScenarioTrial
from envfactory_assets.stages.chains.sampling import sample_chains
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.queries.binding import bind_chain
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.tool_graphs.building import build_tool_graph
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from sandboxes.core.catalog import Catalog


@pytest.fixture(scope="module")
def catalog():
    return Catalog.discover()


def test_chains_that_pass_the_trial_are_feasible_for_the_query_stage(catalog):
    tools = graph_tools(catalog, ["travel.hotel_booking"])
    graph = build_tool_graph(tools, HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer())
    trial = ScenarioTrial(catalog, QuerySettings(scenario_attempts=1))

    outcome = sample_chains(
        graph.parameters,
        graph.edges,
        [],
        SamplerSettings(chains_per_domain=10),
        0,
        "travel",
        trial,
    )

    assert len(outcome.chains) == 10
    for chain in outcome.chains:
        task = bind_chain(chain, catalog, QuerySettings())
        assert [call.tool for call in task.calls] == list(chain.tools)
