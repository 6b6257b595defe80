"""The assets of evaluations: of the trained policies, and of any model at an endpoint."""

import os
from collections.abc import Sequence
from dataclasses import replace

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.assets.session_catalog import session_catalog, source_hashes
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize
from envfactory_assets.metadata import markdown_table, picture, token_usage
from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.training import EvaluationRow, TrainedPolicy
from envfactory_assets.stages.evaluation.attempts import read_attempts, read_k, write_attempts
from envfactory_assets.stages.evaluation.picture import draw_evaluation
from envfactory_assets.stages.evaluation.report import (
    TRAINED_STAGES,
    evaluation_settings,
    report_rows,
)
from envfactory_assets.stages.training.jobs import job_config, write_rows
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import VARIABLE, Home
from envfactory_resources.language_model import language_model_of
from envfactory_resources.profiles import Profile
from envfactory_resources.roles import roles_of
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of
from envfactory_resources.trainer import Trainer
from rl_jobs.endpoint import STAGE, EndpointSettings, attempt_all, tasks_for
from rl_jobs.task_session import Place
from sandboxes.core.canonical import content_hash

_CODE = code_version(
    "rl_jobs",
    "envfactory_assets.stages.reward",
    "envfactory_assets.stages.training",
    "envfactory_assets.stages.evaluation",
)

_COLUMNS = (
    "stage",
    "split",
    "slice_by",
    "slice",
    "task_count",
    "share",
    "reward",
    "reward_low",
    "reward_high",
    "pass_1",
    "pass_k",
    "fault_count",
)


@dg.asset(
    group_name="training",
    owners=["team:training"],
    kinds={"python"},
    code_version=_CODE,
    ins=rows_of("rl_dataset"),
)
def evaluation_report(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    trainer: dg.ResourceParam[Trainer],
    rl_dataset: Sequence[RlTask],
    sft_policy: list[TrainedPolicy],
    grpo_policy: list[TrainedPolicy],
) -> dg.MaterializeResult:
    """Reward and pass@k on held-out chains and environments: untrained, after SFT, after GRPO."""

    def make(_: str | None) -> Made:
        policies = [sft_policy[0], sft_policy[0], grpo_policy[0]]
        ids = [row.policy_id for row in policies]
        name = f"evaluation-{content_hash([*ids, _CODE])[:12]}"
        home = Home(warehouse.root)
        folder = home.checkpoints / name
        rows_file = write_rows(rl_dataset, folder / "rows.jsonl")
        settings = evaluation_settings(policies, warehouse.root, profile.job_settings("evaluate"))
        config = job_config(folder, rows_file, profile.seed, settings, home.pool)
        trainer.run(context, "evaluate", config)
        named = dict(zip(TRAINED_STAGES, ("random weights", *ids[1:]), strict=True))
        rows = report_rows(read_attempts(folder), named, read_k(folder), profile.seed)
        return Made(rows, len(rl_dataset), {}, _shown(rows))

    def inputs(_: str | None) -> JsonValue:
        return [profile.seed, profile.job_settings("evaluate")]

    parents = [("rl_dataset", None), ("sft_policy", None), ("grpo_policy", None)]
    return materialize(context, warehouse, Recipe(lambda _: parents, make, inputs, _COLUMNS))


@dg.asset(
    group_name="training",
    owners=["team:training"],
    kinds={"python"},
    code_version=_CODE,
    ins=rows_of("rl_dataset"),
)
def endpoint_evaluation(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    rl_dataset: Sequence[RlTask],
) -> dg.MaterializeResult:
    """The model at the profile's endpoint, evaluated as the trained policies are."""
    catalog = session_catalog(warehouse, sandbox_pool)
    settings = EndpointSettings.over_defaults(profile.job_settings("endpoint"))
    home = Home(warehouse.root)
    model = language_model_of(profile, {**os.environ, VARIABLE: str(home.root)})

    def make(_: str | None) -> Made:
        chosen = tasks_for(rl_dataset, settings)
        place = Place(catalog, settings.limits, settings.reward)
        attempts = attempt_all(model, chosen.tasks, place, settings)
        folder = home.exports / "endpoint_evaluation"
        folder.mkdir(parents=True, exist_ok=True)
        write_attempts(attempts, folder)
        rows = report_rows(attempts, {STAGE: model.model}, settings.k, profile.seed)
        usage = token_usage(replace(roles_of(profile), model=model))
        passed_over = {reason: count for reason, count in chosen.passed_over.items() if count}
        return Made(rows, len(rl_dataset), passed_over, {**_shown(rows), **usage})

    told = [profile.seed, model.model, model.base_url, settings.model_dump(mode="json")]
    inputs = source_hashes(catalog, warehouse, "rl_dataset", *told)
    return materialize(
        context, warehouse, Recipe(lambda _: [("rl_dataset", None)], make, inputs, _COLUMNS)
    )


def _shown(rows: Sequence[EvaluationRow]) -> dict[str, dg.MetadataValue]:
    head = ("policy", "split", "tasks", "reward", "95 %", "pass@1", f"pass@{rows[0].k}")
    whole = [row for row in rows if row.slice_by == "all"]
    cells = [
        (
            row.stage,
            row.split,
            row.task_count,
            row.reward,
            f"{row.reward_low:.3f} to {row.reward_high:.3f}",
            "" if row.pass_1 is None else row.pass_1,
            "" if row.pass_k is None else row.pass_k,
        )
        for row in whole
    ]
    return {
        "rewards": dg.MetadataValue.json(
            {row.stage: row.reward for row in whole if row.split == "all"}
        ),
        "by_split": dg.MetadataValue.md(markdown_table(head, cells)),
        "picture": picture(draw_evaluation(rows)),
    }
