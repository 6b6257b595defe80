"""The assets of the tool graph: labelled parameters, edges, links between domains."""

from collections.abc import Sequence

import dagster as dg

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize, same_partition
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_assets.records.tool_graphs import ToolParameter
from envfactory_assets.stages.tool_graphs.building import build_tool_graph
from envfactory_assets.stages.tool_graphs.ground_truth import declared_feeds
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.scores import score_edges
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.embedding_model import Embedding
from envfactory_resources.profiles import Profile
from envfactory_resources.roles import roles_of
from envfactory_resources.sandbox_pool import SandboxPool

_CODE = code_version("envfactory_assets.stages.tool_graphs", "sandboxes.core.parameters")


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="tool_graph",
    owners=["team:envgen"],
    kinds={"python"},
    code_version=_CODE,
)
def tool_parameters(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    embedding: dg.ResourceParam[Embedding],
    environments: list[EnvironmentRecord],
) -> dg.MaterializeResult:
    """Every input and output leaf of the domain's tools; inputs are external or internal."""
    catalog = sandbox_pool.verified(environments)
    roles = roles_of(profile)

    def make(domain: str | None) -> Made:
        tools = graph_tools(catalog, [source.environment_id for source in catalog.in_domain(domain or "")])
        graph = build_tool_graph(tools, embedding.model, embedding.threshold, roles.labeller, roles.reviewer)
        return Made(graph.parameters, len(tools))

    return materialize(context, warehouse, Recipe(same_partition("environments"), make, lambda _: None, ("tool", "parameter", "direction", "type", "required", "source", "reason")))
