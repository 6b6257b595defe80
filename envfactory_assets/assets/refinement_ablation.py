"""The asset of the ablation of refinement."""

from collections.abc import Sequence

import dagster as dg

from envfactory_assets.assets.session_catalog import session_catalog, source_hashes
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize
from envfactory_assets.metadata import picture
from envfactory_assets.partitions import DOMAINS
from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.stages.refinement_ablation.comparing import compare_refinement
from envfactory_assets.stages.refinement_ablation.picture import draw_ablation
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.profiles import Profile
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of


@dg.asset(
    group_name="queries",
    owners=["team:querygen"],
    kinds={"python"},
    code_version=code_version(
        "envfactory_assets.stages.refinement_ablation",
        "envfactory_assets.stages.trajectories",
        "envfactory_assets.stages.queries",
        "sandboxes.core",
    ),
    ins=rows_of("refined_queries"),
)
def refinement_ablation(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    refined_queries: Sequence[RefinedQuery],
) -> dg.MaterializeResult:
    """The same tasks asked as drafted and as refined: clarifications, references, length."""
    catalog = session_catalog(warehouse, sandbox_pool)

    def make(_: str | None) -> Made:
        rows = compare_refinement(refined_queries, catalog, profile.trajectories)
        shown = {"picture": picture(draw_ablation(rows))}
        return Made(rows, len(refined_queries), {}, shown)

    def parents(_: str | None) -> Sequence[ParentKey]:
        return [
            ("refined_queries", domain)
            for domain in DOMAINS.get_partition_keys()
            if warehouse.current("refined_queries", domain)
        ]

    columns = ("domain", "measure", "arm", "value", "low", "high", "turn_count")
    settings = source_hashes(catalog, warehouse, "refined_queries", profile.seed)
    return materialize(context, warehouse, Recipe(parents, make, settings, columns))
