"""The asset of the evaluation report."""

from collections.abc import Sequence

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize
from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.training import TrainedPolicy
from envfactory_assets.stages.evaluation.report import (
    evaluation_settings,
    read_attempts,
    report_rows,
)
from envfactory_assets.stages.training.jobs import job_config, write_rows
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile
from envfactory_resources.stored_rows import rows_of
from envfactory_resources.trainer import Trainer
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
    "task_count",
    "reward",
    "reward_low",
    "reward_high",
    "solved_share",
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
    """Reward on held-out chains and environments: before training, after SFT, after GRPO."""

    def make(_: str | None) -> Made:
        policies = [sft_policy[0], sft_policy[0], grpo_policy[0]]
        name = f"evaluation-{content_hash([*(row.policy_id for row in policies), _CODE])[:12]}"
        home = Home(warehouse.root)
        folder = home.checkpoints / name
        rows_file = write_rows(rl_dataset, folder / "rows.jsonl")
        settings = evaluation_settings(policies, warehouse.root, profile.job_settings("evaluate"))
        config = job_config(folder, rows_file, profile.seed, settings, home.pool)
        trainer.run(context, "evaluate", config)
        rows = report_rows(read_attempts(folder), profile.seed)
        rewards = {row.stage: row.reward for row in rows if row.split == "all"}
        return Made(rows, len(rl_dataset), {}, {"rewards": dg.MetadataValue.json(rewards)})

    def inputs(_: str | None) -> JsonValue:
        return [profile.seed, profile.job_settings("evaluate")]

    parents = [("rl_dataset", None), ("sft_policy", None), ("grpo_policy", None)]
    return materialize(context, warehouse, Recipe(lambda _: parents, make, inputs, _COLUMNS))
