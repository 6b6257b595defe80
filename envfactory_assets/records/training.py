"""Rows of the trained policies and of the evaluation report."""

from typing import Literal

from envfactory_assets.records.record import JsonObject, Record

Stage = Literal["before_training", "after_sft", "after_grpo", "endpoint"]
Slicing = Literal["all", "domain", "difficulty", "error_class"]


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
    """One policy on one part of the tasks.

    Attributes:
        stage: Which policy: before training, after SFT, after GRPO, or a model at an endpoint.
        policy: Its id, or the model's name.
        split: The split of the tasks; `all` for all of them together.
        slice_by: By what the part is cut out: not at all, by the tasks' domain or difficulty, or
            by what went wrong in the attempts.
        slice: The domain, difficulty or error class; `all` where nothing is cut out.
        task_count: How many tasks were attempted; of an error class, in how many it occurs.
        attempt_count: Attempts that the rewards are means over.
        share: These among all attempts of the policy on the split, in [0, 1].
        share_low: Lower end of its 95 % confidence interval (Wilson).
        share_high: Its upper end.
        reward: Mean reward in [0, 1], over the attempts without a fault: of those that always took
            the likeliest token, where there are such, else of the sampled ones.
        reward_low: Lower end of the 95 % confidence interval of the mean (bootstrap, the turns of a
            conversation drawn together).
        reward_high: Its upper end.
        reward_trajectory: Mean trajectory component.
        reward_state: Mean state component.
        length_penalty: Mean penalty for redundant calls.
        format_penalty: Mean penalty for malformed calls.
        solved_share: Share of these attempts with full reward.
        sample_count: Sampled attempts at each task.
        pass_1: Chance that one sampled attempt solves a task, and its interval (as of the reward);
            None for an error class.
        k: Of pass@k.
        pass_k: Chance that one of k sampled attempts does, by the unbiased estimator; None with
            fewer than k.
        fault_count: Attempts that an environment fault or a time-out ended; in no mean.
    """

    stage: Stage
    policy: str
    split: str
    slice_by: Slicing
    slice: str
    task_count: int
    attempt_count: int
    share: float
    share_low: float
    share_high: float
    reward: float
    reward_low: float
    reward_high: float
    reward_trajectory: float
    reward_state: float
    length_penalty: float
    format_penalty: float
    solved_share: float
    sample_count: int
    pass_1: float | None
    pass_1_low: float | None
    pass_1_high: float | None
    k: int
    pass_k: float | None
    pass_k_low: float | None
    pass_k_high: float | None
    fault_count: int
