"""The asset of attempts at environments, which also promotes those that are accepted."""

from collections.abc import Sequence

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize, same_partition
from envfactory_assets.metadata import listed, markdown_table, token_usage
from envfactory_assets.partitions import ALL_AT_ONCE, DOMAINS
from envfactory_assets.records.attempts import EnvironmentAttempt
from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.attempts.confined_verifier import ConfinedVerifier
from envfactory_assets.stages.attempts.costs import cost_rows
from envfactory_assets.stages.attempts.loop import attempt_all
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile, Role
from envfactory_resources.promotion import is_promoted, promote
from envfactory_resources.roles import roles_of
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of

_COLUMNS = (
    "attempt_id",
    "outcome",
    "reason",
    "mutation_score",
    "source_hash",
    "made_by",
    "tested_by",
)


@dg.asset(
    partitions_def=DOMAINS,
    backfill_policy=ALL_AT_ONCE,
    group_name="environments",
    owners=["team:envgen"],
    kinds={"python", "pydantic"},
    code_version=code_version(
        "envfactory_assets.stages.attempts",
        "envfactory_assets.stages.model_role",
        "sandboxes.core",
        "sandboxes.verification",
        "sandboxes.confinement",
        "sandboxes.travel.hotel_booking",
    ),
    ins=rows_of("environment_proposals"),
)
def environment_attempts(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    environment_proposals: Sequence[EnvironmentProposal],
) -> dg.MaterializeResult:
    """Code for every wanted proposal, tested and mended in rounds; accepted ones join the pool."""

    def make(domain: str | None) -> Made:
        wanted = [row for row in environment_proposals if row.domain == domain]
        if profile.approval == "by_hand":
            wanted = [row for row in wanted if row.is_approved]
        rows, made = _attempted(wanted, profile, Home(warehouse.root))
        for row in _to_promote(rows, profile, sandbox_pool):
            context.log.info(f"Promoted to {promote(sandbox_pool, row)}.")
        return made

    def is_done(domain: str | None) -> bool:
        rows = warehouse.read("environment_attempts", EnvironmentAttempt, [str(domain)])
        has_failed = any(row.outcome in ("unreachable", "faulted") for row in rows)
        return not has_failed and not _to_promote(rows, profile, sandbox_pool)

    settings = [
        profile.generation.model_dump(mode="json"),
        profile.players(Role.CODER, Role.TESTER),
    ]
    chosen: list[JsonValue] = [*settings, profile.approval, profile.promotion]
    parents = same_partition("environment_proposals")
    return materialize(
        context, warehouse, Recipe(parents, make, lambda _: chosen, _COLUMNS, is_done)
    )


def _attempted(
    proposals: Sequence[EnvironmentProposal], profile: Profile, home: Home
) -> tuple[list[EnvironmentAttempt], Made]:
    roles = roles_of(profile)
    rows = attempt_all(
        proposals,
        roles.coder,
        roles.tester,
        ConfinedVerifier(),
        profile.generation,
        home.attempts,
    )
    given_up = [row.outcome for row in rows if row.is_final and row.outcome != "accepted"]
    return rows, Made(
        rows=rows,
        rows_in=sum(row.is_wanted for row in proposals),
        dropped={outcome: given_up.count(outcome) for outcome in given_up},
        shown={
            "cost": _costs(rows),
            "left_out": listed(
                [f"{row.environment_id}: {part}" for row in rows for part in row.left_out]
            ),
            **token_usage(roles),
        },
    )


def _to_promote(
    rows: Sequence[EnvironmentAttempt], profile: Profile, pool: SandboxPool
) -> list[EnvironmentAttempt]:
    """Return the accepted environments that shall be files of the pool and are not."""
    if profile.promotion == "by_hand":
        return []
    return [row for row in rows if row.outcome == "accepted" and not is_promoted(pool, row)]


def _costs(rows: Sequence[EnvironmentAttempt]) -> dg.MetadataValue:
    head = (
        "environment",
        "attempts",
        "ended as",
        "requests",
        "tokens in",
        "out",
        "prompt cache read",
        "written",
    )
    costs = [
        (
            cost.environment_id,
            cost.attempt_count,
            cost.outcome,
            cost.usage.request_count,
            cost.usage.input_tokens,
            cost.usage.output_tokens,
            cost.usage.cache_read_tokens,
            cost.usage.cache_write_tokens,
        )
        for cost in cost_rows(rows)
    ]
    return dg.MetadataValue.md(markdown_table(head, costs) if costs else "none")
