"""Rows of the trained policies and of the evaluation report."""

from typing import Literal

from envfactory_assets.records.record import JsonObject, Record

Stage = Literal["before_training", "after_sft", "after_grpo"]


class TrainedPolicy(Record):
    """One trained policy.

    Attributes:
        policy_id: `<algorithm>-<hash of what it was trained from>`.
        algorithm: `sft` or `grpo`.
        checkpoint: The folder of the checkpoint, below the home.
        base_policy: What training started from.
        config: The whole configuration of the job.
        metrics: What the job measured, one object a logged train step.
    """

    policy_id: str
    algorithm: Literal["sft", "grpo"]
    checkpoint: str
    base_policy: str
    config: JsonObject
    metrics: tuple[JsonObject, ...]


class EvaluationRow(Record):
    """One policy on one split.

    Attributes:
        stage: Which policy: before training, after SFT, after GRPO.
        split: The split of the tasks; `all` for all of them together.
        task_count: How many tasks were rolled out.
        reward: Mean reward in [0, 1], over the rollouts without a fault.
        reward_trajectory: Mean trajectory component.
        reward_state: Mean state component.
        solved_share: Share of the tasks with full reward.
        reward_low: Lower end of the 95 % confidence interval of the mean (bootstrap).
        reward_high: Its upper end.
        fault_count: Rollouts that an environment fault or a time-out ended; not in the mean.
    """

    stage: Stage
    split: str
    task_count: int
    reward: float
    reward_trajectory: float
    reward_state: float
    solved_share: float
    reward_low: float
    reward_high: float
    fault_count: int
