"""The asset of verified environments."""

from collections.abc import Sequence

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, ParentKey, Recipe, materialize
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.stages.environments.describing import finding_lines, verify_domain
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.profiles import Profile
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import Catalog

_COLUMNS = (
    "environment_id",
    "verified",
    "tool_count",
    "write_tool_count",
    "case_count",
    "mutation_score",
    "source_hash",
)


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="environments",
    owners=["team:envgen"],
    kinds={"python", "pydantic"},
    code_version=code_version(
        "sandboxes.core",
        "sandboxes.verification",
        "sandboxes.confinement",
        "envfactory_assets.stages.environments",
    ),
    deps=["environment_attempts"],
)
def environments(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
) -> dg.MaterializeResult:
    """Every environment of the domain, verified by five gates at the hash of its source."""
    catalog = sandbox_pool.discover()

    def make(domain: str | None) -> Made:
        return _verified(catalog, domain or "", is_mutated=profile.mutation_score)

    def settings(domain: str | None) -> JsonValue:
        hashes = [source.source_hash for source in catalog.in_domain(domain or "")]
        return [profile.mutation_score, *hashes]

    def parents(domain: str | None) -> Sequence[ParentKey]:
        # Reviewed environments need no attempts: the asset can be made alone.
        made = warehouse.current("environment_attempts", domain)
        return [("environment_attempts", domain)] if made else []

    return materialize(context, warehouse, Recipe(parents, make, settings, _COLUMNS))


def _verified(catalog: Catalog, domain: str, *, is_mutated: bool) -> Made:
    rows = verify_domain(catalog, domain, mutation=is_mutated)
    tools_verified = sum(row.tool_count for row in rows if row.verified)
    findings = "\n".join(f"- {line}" for line in finding_lines(rows))
    return Made(
        rows=rows,
        rows_in=len(rows),
        shown={
            "tools_verified": dg.MetadataValue.int(tools_verified),
            "findings": dg.MetadataValue.md(findings or "none"),
        },
    )
