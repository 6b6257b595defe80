"""The assets of trained policies."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import dagster as dg
from pydantic import JsonValue

from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize
from envfactory_assets.metadata import picture
from envfactory_assets.records.datasets import RlTask, SftExample
from envfactory_assets.records.training import TrainedPolicy
from envfactory_assets.stages.training.curve import draw_curve
from envfactory_assets.stages.training.jobs import (
    Algorithm,
    job_config,
    policy_name,
    policy_row,
    write_rows,
)
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile
from envfactory_resources.stored_rows import rows_of
from envfactory_resources.trainer import Trainer

_CODE = code_version(
    "rl_jobs", "envfactory_assets.stages.reward", "envfactory_assets.stages.training"
)
_COLUMNS = ("policy_id", "algorithm", "base_policy", "checkpoint")
_CURVES: dict[Algorithm, tuple[str, ...]] = {"sft": ("loss",), "grpo": ("reward",)}


@dg.asset(
    group_name="training",
    owners=["team:training"],
    kinds={"python", "huggingface"},
    code_version=_CODE,
    ins=rows_of("sft_dataset"),
)
def sft_policy(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    trainer: dg.ResourceParam[Trainer],
    sft_dataset: Sequence[SftExample],
) -> dg.MaterializeResult:
    """The policy after supervised fine-tuning on the assistant's tokens of the training split."""

    def make(_: str | None) -> Made:
        settings = profile.job_settings("sft")
        data = _data_version(warehouse, "sft_dataset")
        name = policy_name("sft", data, _CODE, profile.seed, settings)
        folder = Home(warehouse.root).checkpoints / name
        rows = write_rows(sft_dataset, folder / "rows.jsonl")
        config = job_config(folder, rows, profile.seed, settings)
        trainer.run(context, "sft", config)
        base = str(settings.get("model") or "a random tiny policy")
        return _made(policy_row(name, "sft", base, folder, warehouse.root), len(sft_dataset))

    def inputs(_: str | None) -> JsonValue:
        return [profile.seed, profile.job_settings("sft")]

    parents = [("sft_dataset", None)]
    there = partial(_has_checkpoint, warehouse, "sft_policy")
    recipe = Recipe(lambda _: parents, make, inputs, _COLUMNS, has_files=there)
    return materialize(context, warehouse, recipe)


@dg.asset(
    group_name="training",
    owners=["team:training"],
    kinds={"python", "huggingface"},
    code_version=_CODE,
    ins=rows_of("rl_dataset"),
)
def grpo_policy(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    profile: dg.ResourceParam[Profile],
    trainer: dg.ResourceParam[Trainer],
    rl_dataset: Sequence[RlTask],
    sft_policy: list[TrainedPolicy],
) -> dg.MaterializeResult:
    """The policy after GRPO: tool rollouts in live sessions, rewarded by the one reward."""

    def make(_: str | None) -> Made:
        start = sft_policy[0]
        settings = {"model": str(warehouse.root / start.checkpoint), **profile.job_settings("grpo")}
        data = _data_version(warehouse, "rl_dataset")
        shown = {key: value for key, value in settings.items() if key != "model"}
        name = policy_name("grpo", data, _CODE, profile.seed, start.policy_id, shown)
        home = Home(warehouse.root)
        folder = home.checkpoints / name
        rows = write_rows(rl_dataset, folder / "rows.jsonl")
        trainer.run(context, "grpo", job_config(folder, rows, profile.seed, settings, home.pool))
        row = policy_row(name, "grpo", start.policy_id, folder, warehouse.root)
        return _made(row, len(rl_dataset))

    def inputs(_: str | None) -> JsonValue:
        return [profile.seed, profile.job_settings("grpo")]

    parents = [("rl_dataset", None), ("sft_policy", None)]
    there = partial(_has_checkpoint, warehouse, "grpo_policy")
    recipe = Recipe(lambda _: parents, make, inputs, _COLUMNS, has_files=there)
    return materialize(context, warehouse, recipe)


def _has_checkpoint(warehouse: Warehouse, asset: str, _: str | None) -> bool:
    rows = warehouse.read(asset, TrainedPolicy)
    return all((warehouse.root / row.checkpoint).is_dir() for row in rows)


def _data_version(warehouse: Warehouse, asset: str) -> str:
    version = warehouse.current(asset, None)
    return version.data_version if version else ""


def _made(row: TrainedPolicy, rows_in: int) -> Made:
    curve = draw_curve(row.metrics, _CURVES[row.algorithm], row.policy_id)
    last = row.metrics[-1] if row.metrics else {}
    return Made(
        [row],
        rows_in,
        {},
        {
            "curve": picture(curve),
            "train_steps": dg.MetadataValue.int(len(row.metrics)),
            "last_metrics": dg.MetadataValue.json(last),
            "checkpoint": dg.MetadataValue.path(Path(row.checkpoint)),
        },
    )
