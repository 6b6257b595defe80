"""The asset of proposed environments."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize
from envfactory_assets.metadata import listed, markdown_table, token_usage
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.stages.proposals.coverage import Coverage, measure_coverage
from envfactory_assets.stages.proposals.coverage_text import coverage_table
from envfactory_assets.stages.proposals.decisions import read_decisions
from envfactory_assets.stages.proposals.importing import import_folder
from envfactory_assets.stages.proposals.overlap import OverlapMeasure, pool_services
from envfactory_assets.stages.proposals.researcher import DroppedProposal
from envfactory_assets.stages.proposals.stage import Proposed, propose
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.embedding_model import Embedding
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile, Role
from envfactory_resources.roles import Roles, roles_of
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import Catalog

_COLUMNS = ("environment_id", "status", "origin", "service", "overlap", "nearest", "made_by")


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="environments",
    owners=["team:envgen"],
    kinds={"python"},
    code_version=code_version(
        "envfactory_assets.stages.proposals",
        "envfactory_assets.stages.attempts.token_counts",
        "envfactory_assets.stages.tool_graphs",
        "envfactory_assets.stages.model_role",
        "sandboxes.core",
        "sandboxes.verification",
    ),
)
def environment_proposals(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    embedding: dg.ResourceParam[Embedding],
) -> dg.MaterializeResult:
    """Services that the domain lacks, from a team's documents and a researcher, as people decided.

    Documents lie in `documents/<domain>/` of the home, decisions in `decisions/<domain>/`. Compared
    with the reviewed environments only: what was made here was made from proposals.
    """
    home = Home(warehouse.root)
    # Loads every environment: at the first partition that is made, and then no more.
    reviewed = cache(sandbox_pool.reviewed)

    def make(domain: str | None) -> Made:
        roles = roles_of(profile)
        coverage = measure_coverage(reviewed(), str(domain))
        found = _proposed(coverage, home, reviewed(), profile, embedding, roles)
        shown = {**_shown(found, coverage), **token_usage(roles)}
        rows_in = len(found.rows) + len(found.dropped)
        return Made(found.rows, rows_in, found.dropped_by_reason, shown)

    def settings(domain: str | None) -> JsonValue:
        folders = [home.documents / str(domain), home.decisions / str(domain)]
        if profile.search is not None and profile.search.folder is not None:
            folders.append(Path(profile.search.folder).expanduser())
        shipped = sandbox_pool.shipped_catalog().sources
        sources: list[JsonValue] = [source.source_hash for source in shipped]
        return [*_chosen(profile, embedding), sources, *map(_hashes, folders)]

    return materialize(context, warehouse, Recipe(lambda _: [], make, settings, _COLUMNS))


def _chosen(profile: Profile, embedding: Embedding) -> list[JsonValue]:
    """Return the settings that proposals depend on."""
    return [
        embedding.model.model_id,
        profile.overlap_threshold,
        profile.generation.target_environments_per_domain,
        profile.players(Role.RESEARCHER),
    ]


def _shown(found: Proposed, coverage: Coverage) -> dict[str, dg.MetadataValue]:
    return {
        "coverage": _table(coverage_table(coverage)),
        "not_inferred": listed(
            [f"{row.name}: {point}" for row in found.rows for point in row.not_inferred]
        ),
        "notes": listed(found.notes),
        "dropped": listed([item.detail for item in found.dropped]),
    }


def _proposed(
    coverage: Coverage,
    home: Home,
    reviewed: Catalog,
    profile: Profile,
    embedding: Embedding,
    roles: Roles,
) -> Proposed:
    domain = coverage.domain
    imported = import_folder(home.documents, domain)
    there = len(reviewed.in_domain(domain)) + len(imported.proposals)
    return propose(
        domain,
        imported.proposals,
        roles.researcher,
        coverage,
        pool_services(reviewed),
        _measure(embedding, profile),
        read_decisions(home.decisions, domain),
        max(0, profile.generation.target_environments_per_domain - there),
        [
            DroppedProposal("document_refused", f"{item.address}: {item.reason}")
            for item in imported.refused
        ],
    )


def _measure(embedding: Embedding, profile: Profile) -> OverlapMeasure:
    own = profile.overlap_threshold
    return OverlapMeasure(
        embedding.model, {embedding.model.model_id: own} if own is not None else None
    )


def _hashes(folder: Path) -> dict[str, JsonValue]:
    files = sorted(folder.glob("*")) if folder.is_dir() else []
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()
    }


def _table(rows: Sequence[Mapping[str, str | int]]) -> dg.MetadataValue:
    if not rows:
        return dg.MetadataValue.text("The domain has no environment yet.")
    head = list(rows[0])
    return dg.MetadataValue.md(markdown_table(head, [[row[name] for name in head] for row in rows]))
