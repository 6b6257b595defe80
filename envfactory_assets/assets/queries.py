"""The assets of draft and refined queries."""

from collections.abc import Sequence

import dagster as dg

from envfactory_assets.assets.session_catalog import session_catalog, source_hashes
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize, same_partition
from envfactory_assets.metadata import token_usage
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.queries import DraftQuery
from envfactory_assets.stages.queries.refinement import refine_all
from envfactory_assets.stages.queries.stage import Authors
from envfactory_assets.stages.queries.stage import draft_queries as draft
from envfactory_assets.stages.queries.unrefined import NoRefiner
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.profiles import Profile, Role
from envfactory_resources.roles import roles_of
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of

_CODE = code_version(
    "envfactory_assets.stages.queries", "envfactory_assets.stages.model_role", "sandboxes.core"
)


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="queries",
    owners=["team:querygen"],
    kinds={"python"},
    code_version=_CODE,
    deps=["environments"],
    ins=rows_of("sampled_chains"),
)
def draft_queries(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    sampled_chains: Sequence[SampledChain],
) -> dg.MaterializeResult:
    """One request a turn that names every value, for every chain that is feasible on a scenario."""
    catalog = session_catalog(warehouse, sandbox_pool)

    def make(domain: str | None) -> Made:
        own = [chain for chain in sampled_chains if chain.domain == domain]
        roles = roles_of(profile)
        authors = Authors(roles.planner, roles.writer)
        outcome = draft(own, catalog, profile.queries, authors)
        shown = token_usage(roles)
        return Made(outcome.drafts, len(own), outcome.dropped, shown)

    columns = ("query_id", "turn", "draft_text", "persona", "made_by")
    players = profile.players(Role.SCENARIO_PLANNER, Role.QUERY_WRITER)
    settings = source_hashes(catalog, warehouse, "sampled_chains", profile.queries, players)
    return materialize(
        context, warehouse, Recipe(same_partition("sampled_chains"), make, settings, columns)
    )


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="queries",
    owners=["team:querygen"],
    kinds={"python"},
    code_version=_CODE,
    ins=rows_of("draft_queries"),
)
def refined_queries(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    draft_queries: Sequence[DraftQuery],
) -> dg.MaterializeResult:
    """The drafts as people would write them, with every refinement that was tried."""
    catalog = session_catalog(warehouse, sandbox_pool)

    def make(domain: str | None) -> Made:
        own = [query for query in draft_queries if query.domain == domain]
        roles = roles_of(profile)
        refiner = NoRefiner() if profile.refinement == "off" else roles.refiner
        rows = refine_all(own, catalog, refiner)
        tried = [operation for row in rows for operation in row.operations]
        shown = {
            "refinements_applied": dg.MetadataValue.int(sum(item.applied for item in tried)),
            "refinements_undone": dg.MetadataValue.int(sum(not item.applied for item in tried)),
            **token_usage(roles),
        }
        return Made(rows, len(own), {}, shown)

    columns = ("query_id", "draft_text", "refined_text", "made_by")
    players = profile.players(Role.REFINER)
    settings = source_hashes(catalog, warehouse, "draft_queries", profile.queries, players)
    return materialize(
        context, warehouse, Recipe(same_partition("draft_queries"), make, settings, columns)
    )
