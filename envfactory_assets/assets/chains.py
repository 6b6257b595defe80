"""The asset of sampled chains."""

from collections.abc import Sequence

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.assets.session_catalog import session_catalog, verified_hash
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter
from envfactory_assets.stages.chains.feasibility import ScenarioTrial
from envfactory_assets.stages.chains.linking import linked_domains, links_of
from envfactory_assets.stages.chains.sampling import sample_chains
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.profiles import Profile
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import Catalog


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="tool_graph",
    owners=["team:querygen"],
    kinds={"python", "igraph"},
    code_version=code_version(
        "envfactory_assets.stages.chains", "envfactory_assets.stages.queries", "sandboxes.core"
    ),
    deps=["tool_parameters", "tool_graphs", "environments"],
)
def sampled_chains(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    cross_domain_links: list[CrossDomainLink],
) -> dg.MaterializeResult:
    """Chains of tools in which every required input is satisfiable, drawn from the tool graph."""
    catalog = session_catalog(warehouse, sandbox_pool)

    def make(domain: str | None) -> Made:
        return _sampled(domain or "", warehouse, cross_domain_links, profile, catalog)

    recipe = Recipe(
        parents=lambda domain: _graphs(cross_domain_links, domain or ""),
        make=make,
        settings=lambda domain: [
            *_hashes(domain or "", warehouse, cross_domain_links, catalog),
            *_settings(domain or "", cross_domain_links, profile),
        ],
        columns=("chain_id", "tools", "turn_sizes", "environment_ids", "branch_count", "depth"),
    )
    return materialize(context, warehouse, recipe)


def _graphs(links: Sequence[CrossDomainLink], domain: str) -> Sequence[ParentKey]:
    domains = linked_domains(links, domain)
    return [(asset, key) for key in domains for asset in ("tool_parameters", "tool_graphs")]


def _sampled(
    domain: str,
    warehouse: Warehouse,
    links: Sequence[CrossDomainLink],
    profile: Profile,
    catalog: Catalog,
) -> Made:
    domains = linked_domains(links, domain)
    outcome = sample_chains(
        warehouse.read("tool_parameters", ToolParameter, domains),
        warehouse.read("tool_graphs", ToolGraphEdge, domains),
        links_of(links, domain),
        profile.sampler,
        profile.seed,
        domain,
        ScenarioTrial(catalog, profile.trial),
    )
    shown = {"attempts": dg.MetadataValue.int(outcome.attempts)}
    return Made(outcome.chains, outcome.attempts, outcome.rejections, shown)


def _hashes(
    domain: str, warehouse: Warehouse, links: Sequence[CrossDomainLink], catalog: Catalog
) -> list[str]:
    """Return the hashes of the environments behind the graphs: chains are tried out in them."""
    rows = warehouse.read("tool_parameters", ToolParameter, linked_domains(links, domain))
    return [verified_hash(catalog, name) for name in sorted({row.environment_id for row in rows})]


def _settings(
    domain: str, links: Sequence[CrossDomainLink], profile: Profile
) -> Sequence[JsonValue]:
    return [
        profile.sampler.model_dump(),
        profile.queries.model_dump(),
        profile.seed,
        *(link.model_dump() for link in links_of(links, domain)),
    ]
