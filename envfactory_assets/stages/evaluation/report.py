"""Rows of the evaluation report, with bootstrap confidence intervals."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.training import EvaluationRow, Stage, TrainedPolicy

STAGES: tuple[Stage, ...] = ("before_training", "after_sft", "after_grpo")
_SOLVED = 0.999
_RESAMPLES = 1000


def evaluation_settings(
    policies: Sequence[TrainedPolicy], home: Path, settings: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return what an evaluation job is told: the policy of each stage, and a profile's settings.

    Args:
        policies: One a stage of training; the first is drawn anew at random.
        home: What the checkpoints' paths are relative to.
        settings: Of the profile.
    """
    entries: list[JsonValue] = [
        {
            "name": stage,
            "model": str(home / policy.checkpoint),
            "untrained": stage == "before_training",
        }
        for stage, policy in zip(STAGES, policies, strict=True)
    ]
    return {"policies": entries, **settings}


def read_attempts(folder: Path) -> list[JsonObject]:
    """Return the attempts that an evaluation job wrote, one a policy and task."""
    lines = (folder / "attempts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def report_rows(attempts: Sequence[JsonObject], seed: int) -> list[EvaluationRow]:
    """Return the mean reward of each policy, over all tasks and by split.

    Args:
        attempts: One a policy and task; `policy` is a stage of training.
        seed: Seed of the bootstrap.
    """
    splits = ["all", *sorted({str(row["split"]) for row in attempts})]
    rows: list[EvaluationRow] = []
    for stage in STAGES:
        for split in splits:
            own = [
                row
                for row in attempts
                if row["policy"] == stage and (split == "all" or row["split"] == split)
            ]
            if own:
                rows.append(_row(stage, split, own, seed))
    return rows


def confidence_interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean (percentile method, 1,000 resamples)."""
    if not values:
        return 0.0, 0.0
    rng = random.Random(seed)
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]


def _row(stage: Stage, split: str, attempts: Sequence[JsonObject], seed: int) -> EvaluationRow:
    scored = [row for row in attempts if row["reward"] is not None]
    rewards = _column(scored, "reward")
    low, high = confidence_interval(rewards, seed)
    return EvaluationRow(
        stage=stage,
        split=split,
        task_count=len(attempts),
        reward=_mean(rewards),
        reward_trajectory=_mean(_column(scored, "trajectory")),
        reward_state=_mean(_column(scored, "state")),
        solved_share=_mean([float(reward >= _SOLVED) for reward in rewards]),
        reward_low=low,
        reward_high=high,
        fault_count=len(attempts) - len(scored),
    )


def _column(rows: Sequence[JsonObject], name: str) -> list[float]:
    return [float(cast("float", row[name])) for row in rows]


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
