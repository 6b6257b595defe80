"""The assets of the tool graph: labelled parameters, edges, links between domains."""

from collections.abc import Sequence

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize, same_partition
from envfactory_assets.metadata import picture, token_usage
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_assets.stages.tool_graphs.building import ToolGraph, build_tool_graph
from envfactory_assets.stages.tool_graphs.graph import build_graph, graphml
from envfactory_assets.stages.tool_graphs.ground_truth import DeclaredFeeds, declared_feeds
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, graph_tools
from envfactory_assets.stages.tool_graphs.links import build_links
from envfactory_assets.stages.tool_graphs.picture import draw_tool_graph
from envfactory_assets.stages.tool_graphs.scores import score_edges
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.embedding_model import Embedding
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile, Role
from envfactory_resources.roles import Roles, roles_of
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import Catalog

_CODE = code_version(
    "envfactory_assets.stages.tool_graphs",
    "envfactory_assets.stages.model_role",
    "sandboxes.core.parameters",
)
_EDGE_COLUMNS = (
    "source_tool",
    "source_parameter",
    "target_tool",
    "target_parameter",
    "similarity",
    "origin",
    "kept",
    "reason",
)


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
    """Every input and output leaf of the domain's tools; a user says an input, or a tool gives it."""
    catalog = sandbox_pool.verified(environments)

    def make(domain: str | None) -> Made:
        tools = _tools_of(catalog, domain)
        roles = roles_of(profile)
        graph = build_tool_graph(
            tools, embedding.model, embedding.threshold, roles.labeller, roles.reviewer
        )
        return Made(graph.parameters, len(tools), {}, token_usage(roles))

    columns = ("tool", "parameter", "direction", "type", "required", "source", "reason")
    recipe = Recipe(
        same_partition("environments"), make, lambda _: _inputs(profile, embedding), columns
    )
    return materialize(context, warehouse, recipe)


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="tool_graph",
    owners=["team:envgen"],
    kinds={"igraph", "sentencetransformers"},
    code_version=_CODE,
    deps=["tool_parameters"],
)
def tool_graphs(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    embedding: dg.ResourceParam[Embedding],
    environments: list[EnvironmentRecord],
) -> dg.MaterializeResult:
    """Which output feeds which input and which tool precedes which; pruned edges stay as rows."""
    catalog = sandbox_pool.verified(environments)
    folder = Home(warehouse.root).exports / "tool_graphs"

    def make(domain: str | None) -> Made:
        roles = roles_of(profile)
        graph, declared = _declared_graph(catalog, str(domain), embedding, roles)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{domain}.graphml"
        file.write_bytes(graphml(build_graph(graph.edges, graph.parameters)))
        shown = {
            **_scores(graph, declared),
            "picture": _picture(graph, str(domain)),
            **token_usage(roles),
        }
        return Made(graph.edges, len(graph.parameters), {}, shown)

    recipe = Recipe(
        parents=same_partition("environments", "tool_parameters"),
        make=make,
        settings=lambda _: _inputs(profile, embedding),
        columns=_EDGE_COLUMNS,
        has_files=lambda domain: (folder / f"{domain}.graphml").exists(),
    )
    return materialize(context, warehouse, recipe)


@dg.asset(
    group_name="tool_graph",
    owners=["team:envgen"],
    kinds={"sentencetransformers"},
    code_version=_CODE,
    deps=["tool_graphs"],
)
def cross_domain_links(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    embedding: dg.ResourceParam[Embedding],
    environments: list[EnvironmentRecord],
) -> dg.MaterializeResult:
    """Which output of one domain feeds which input of another."""
    catalog = sandbox_pool.verified(environments)
    roles = roles_of(profile)

    def parents(_: str | None) -> Sequence[ParentKey]:
        return [("environments", domain) for domain in sorted({row.domain for row in environments})]

    def make(_: str | None) -> Made:
        tools = _tools_of(catalog, None)
        links = build_links(
            tools, embedding.model, embedding.threshold, roles.labeller, roles.reviewer
        )
        shown = {
            "kept_links": dg.MetadataValue.int(sum(link.kept for link in links)),
            **token_usage(roles),
        }
        return Made(links, len(tools), {}, shown)

    recipe = Recipe(parents, make, lambda _: _inputs(profile, embedding), _EDGE_COLUMNS)
    return materialize(context, warehouse, recipe)


def _declared_graph(
    catalog: Catalog, domain: str, embedding: Embedding, roles: Roles
) -> tuple[ToolGraph, DeclaredFeeds]:
    """Return a domain's graph, its edges marked where both ends declare one identifier type."""
    tools = _tools_of(catalog, domain)
    declared = declared_feeds(catalog, sorted({tool.environment_id for tool in tools}))
    graph = build_tool_graph(
        tools,
        embedding.model,
        embedding.threshold,
        roles.labeller,
        roles.reviewer,
        declared.all_pairs,
    )
    return graph, declared


def _scores(graph: ToolGraph, declared: DeclaredFeeds) -> dict[str, dg.MetadataValue]:
    scores = score_edges(graph.edges, declared)
    return {
        "similarity_precision": dg.MetadataValue.float(scores.similarity.precision),
        "similarity_recall": dg.MetadataValue.float(scores.similarity.recall),
        "reviewed_precision": dg.MetadataValue.float(scores.reviewed.precision),
        "reviewed_recall": dg.MetadataValue.float(scores.reviewed.recall),
        "kept_edges": dg.MetadataValue.int(sum(edge.kept for edge in graph.edges)),
    }


def _picture(graph: ToolGraph, domain: str) -> dg.MetadataValue:
    return picture(draw_tool_graph(graph.edges, graph.parameters, domain))


def _tools_of(catalog: Catalog, domain: str | None) -> list[GraphTool]:
    sources = catalog.sources if domain is None else catalog.in_domain(domain)
    return graph_tools(catalog, [source.environment_id for source in sources])


def _inputs(profile: Profile, embedding: Embedding) -> JsonValue:
    """Return what the graph depends on besides the environments."""
    players = profile.players(Role.PARAMETER_LABELLER, Role.GRAPH_REVIEWER)
    return [embedding.model.model_id, embedding.threshold, players]
