"""The asset of the evaluation report."""

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize
from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.training import TrainedPolicy
from envfactory_assets.stages.evaluation.report import STAGES, read_attempts, report_rows
from envfactory_assets.stages.training.jobs import job_config, policy_name, write_rows
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile
from envfactory_resources.trainer import Trainer

_CODE = code_version(
    "rl_jobs", "envfactory_assets.stages.reward", "envfactory_assets.stages.evaluation"
)


@dg.asset(
    group_name="training",
    owners=["team:training"],
    kinds={"python"},
    code_version=_CODE,
)
def evaluation_report(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    trainer: dg.ResourceParam[Trainer],
    rl_dataset: list[RlTask],
    sft_policy: list[TrainedPolicy],
    grpo_policy: list[TrainedPolicy],
) -> dg.MaterializeResult:
    """Reward on held-out chains and environments: before training, after SFT, after GRPO."""

    def make(_: str | None) -> Made:
        trained = [sft_policy[0], sft_policy[0], grpo_policy[0]]
        name = policy_name("grpo", *(row.policy_id for row in trained), _CODE)
        folder = Home(warehouse.root).checkpoints / name.replace("grpo", "evaluation")
        policies: list[JsonValue] = [
            {
                "name": stage,
                "model": str(warehouse.root / row.checkpoint),
                "untrained": stage == "before_training",
            }
            for stage, row in zip(STAGES, trained, strict=True)
        ]
        rows_file = write_rows(rl_dataset, folder / "rows.jsonl")
        settings = {"policies": policies, **profile.job_settings("evaluate")}
        trainer.run(context, "evaluate", job_config(folder, rows_file, profile.seed, settings))
        rows = report_rows(read_attempts(folder), profile.seed)
        rewards = {row.stage: row.reward for row in rows if row.split == "all"}
        return Made(rows, len(rl_dataset), {}, {"rewards": dg.MetadataValue.json(rewards)})

    def inputs(_: str | None) -> JsonValue:
        return [profile.seed, profile.job_settings("evaluate")]

    parents = [("rl_dataset", None), ("sft_policy", None), ("grpo_policy", None)]
    columns = (
        "stage",
        "split",
        "task_count",
        "reward",
        "reward_low",
        "reward_high",
        "solved_share",
        "fault_count",
    )
    return materialize(context, warehouse, Recipe(lambda _: parents, make, inputs, columns))
