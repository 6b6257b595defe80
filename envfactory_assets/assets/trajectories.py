"""The assets of candidate and filtered trajectories."""

from collections.abc import Sequence

import dagster as dg

from envfactory_assets.assets.session_catalog import session_catalog, source_hashes
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize, same_partition
from envfactory_assets.metadata import token_usage
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.records.trajectories import CandidateTrajectory
from envfactory_assets.stages.trajectories.candidates import Players
from envfactory_assets.stages.trajectories.candidates import candidate_trajectories as solve
from envfactory_assets.stages.trajectories.filtering import filter_trajectories
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.profiles import Profile, Role
from envfactory_resources.roles import roles_of
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of

_CODE = code_version(
    "envfactory_assets.stages.trajectories",
    "envfactory_assets.stages.reward",
    "envfactory_assets.stages.queries",
    "envfactory_assets.stages.model_role",
    "sandboxes.core",
)
_COLUMNS = (
    "trajectory_id",
    "turns",
    "reward",
    "reward_trajectory",
    "reward_state",
    "kept",
    "drop_reason",
)


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="trajectories",
    owners=["team:querygen"],
    kinds={"python"},
    code_version=_CODE,
    ins=rows_of("refined_queries"),
)
def candidate_trajectories(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    refined_queries: Sequence[RefinedQuery],
) -> dg.MaterializeResult:
    """K attempts at every task in live sessions with a simulated user, scored by the reward."""
    catalog = session_catalog(warehouse, sandbox_pool)

    def make(domain: str | None) -> Made:
        own = [query for query in refined_queries if query.domain == domain]
        roles = roles_of(profile)
        players = Players(roles.teacher, roles.user, roles.judge)
        rows = solve(own, catalog, profile.trajectories, players)
        reasons = [row.drop_reason for row in rows if row.drop_reason]
        shown = {
            "kept": dg.MetadataValue.int(sum(row.kept for row in rows)),
            "not_kept_by_reason": dg.MetadataValue.json(
                {reason: reasons.count(reason) for reason in sorted(set(reasons))}
            ),
            **token_usage(roles),
        }
        return Made(rows, len({query.task_id for query in own}), {}, shown)

    players = profile.players(Role.TEACHER, Role.USER, Role.JUDGE)
    settings = source_hashes(catalog, warehouse, "refined_queries", profile.trajectories, players)
    return materialize(
        context, warehouse, Recipe(same_partition("refined_queries"), make, settings, _COLUMNS)
    )


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="trajectories",
    owners=["team:querygen"],
    kinds={"python"},
    code_version=_CODE,
    ins=rows_of("refined_queries", "candidate_trajectories"),
)
def filtered_trajectories(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    refined_queries: Sequence[RefinedQuery],
    candidate_trajectories: Sequence[CandidateTrajectory],
) -> dg.MaterializeResult:
    """One reference a task: the best candidate without what it did not need, proven by replay."""
    catalog = session_catalog(warehouse, sandbox_pool)

    def make(domain: str | None) -> Made:
        queries = [query for query in refined_queries if query.domain == domain]
        candidates = [row for row in candidate_trajectories if row.domain == domain]
        outcome = filter_trajectories(queries, candidates, catalog, profile.trajectories)
        shown = {
            "kept": dg.MetadataValue.int(sum(row.kept for row in outcome.rows)),
            "removed_steps": dg.MetadataValue.int(sum(row.removed_steps for row in outcome.rows)),
        }
        return Made(outcome.rows, len(candidates), outcome.dropped, shown)

    parents = same_partition("refined_queries", "candidate_trajectories")
    settings = source_hashes(catalog, warehouse, "refined_queries", profile.trajectories)
    return materialize(context, warehouse, Recipe(parents, make, settings, _COLUMNS))
