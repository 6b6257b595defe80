"""GRPO with TRL: groups of attempts in live sessions, rewarded by the one reward."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from envfactory_assets.records.datasets import RlTask
from rl_jobs.config import GrpoConfig
from rl_jobs.errors import ConfigError
from rl_jobs.process import StopSignal
from rl_jobs.progress import Progress
from rl_jobs.task_session import Place
from rl_jobs.trl.policy import Policy
from rl_jobs.trl.rollouts import Rollout, roll_out
from rl_jobs.trl.training_arguments import last_checkpoint, lora, merged, shared_arguments
from rl_jobs.trl.training_callback import quiet, training_callback

if TYPE_CHECKING:
    from trl import GRPOTrainer

METRICS = {
    "reward": "reward",
    "reward_std": "group_spread",
    "solved": "solved",
    "mixed_groups": "mixed_groups",
    "faults": "faults",
    "format_errors": "format_errors",
    "calls": "calls",
    "completions/mean_length": "policy_tokens",
    "entropy": "entropy",
    "kl": "kl",
    "grad_norm": "gradient_norm",
}
SOLVED = 0.999
_MIXED_SPREAD = 1e-6


def train_grpo(
    policy: Policy,
    tasks: Sequence[RlTask],
    config: GrpoConfig,
    place: Place,
    progress: Progress,
    stop: StopSignal,
    checkpoints: Path,
) -> int:
    """Train a policy on tasks and return the steps that were done."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    rollouts_per_step = config.tasks_per_step * config.group_size
    micro = min(config.micro_batch, rollouts_per_step)
    if rollouts_per_step % micro:
        raise ConfigError(
            f"micro_batch is {micro}; it must divide the {rollouts_per_step} attempts of a step "
            "(tasks_per_step x group_size)."
        )
    arguments = GRPOConfig(
        **shared_arguments(config, checkpoints),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=rollouts_per_step // micro,
        num_generations=config.group_size,
        max_completion_length=config.limits.max_total_tokens,
        temperature=config.temperature,
        beta=config.kl_weight,
        log_completions=False,
    )
    # TRL warns that `rollout_func` may change; its version is pinned.
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    trainer = GRPOTrainer(
        model=policy.model,
        args=arguments,
        # The prompt is the task's key: the rollouts render the prompts, each with its own tools.
        train_dataset=Dataset.from_dict({"prompt": [task.row_id for task in tasks]}),
        processing_class=policy.dialect.tokenizer,
        reward_funcs=_task_reward,
        rollout_func=_Rollouts(policy, tasks, config, place),
        callbacks=[training_callback("grpo", progress, stop, METRICS)],
        peft_config=lora(config.lora_rank),
    )
    quiet(trainer)
    trainer.train(resume_from_checkpoint=last_checkpoint(config, checkpoints))
    policy.model = merged(trainer.model)
    return trainer.state.global_step


def _task_reward(
    prompts: list[str], completions: list[str], task_reward: list[float | None], **_: object
) -> list[float | None]:
    """Return what the sessions said; None, which is not 0, after a fault."""
    del prompts, completions
    return task_reward


class _Rollouts:
    """What TRL calls for each batch: attempts at tasks, as tokens with a mask of the policy's."""

    def __init__(
        self, policy: Policy, tasks: Sequence[RlTask], config: GrpoConfig, place: Place
    ) -> None:
        self._policy = policy
        self._tasks = {task.row_id: task for task in tasks}
        self._config = config
        self._place = place

    def __call__(self, prompts: list[str], trainer: "GRPOTrainer") -> dict[str, Any]:
        model = trainer.accelerator.unwrap_model(trainer.model)
        tasks = [self._tasks[prompt] for prompt in prompts]
        found = roll_out(model, self._policy.dialect, tasks, self._place, self._config.temperature)
        for name, value in step_metrics(found, self._config.group_size).items():
            trainer._metrics["train"][name].append(value)
        return {
            "prompt_ids": [rollout.prompt for rollout in found],
            "completion_ids": [rollout.completion for rollout in found],
            "logprobs": None,
            "env_mask": [rollout.is_policy for rollout in found],
            "task_reward": [
                rollout.outcome.reward.total if rollout.outcome.reward else None
                for rollout in found
            ],
        }


def step_metrics(found: Sequence[Rollout], group_size: int) -> Mapping[str, float]:
    """Return what a batch of rollouts says about itself."""
    rewards = [rollout.outcome.reward for rollout in found]
    totals = [reward.total if reward else None for reward in rewards]
    groups = [totals[at : at + group_size] for at in range(0, len(totals), group_size)]
    return {
        "solved": fmean(total is not None and total >= SOLVED for total in totals),
        "mixed_groups": fmean(_is_mixed(group) for group in groups),
        "faults": float(sum(total is None for total in totals)),
        "format_errors": fmean(rollout.outcome.format_errors for rollout in found),
        "calls": fmean(rollout.outcome.calls for rollout in found),
    }


def _is_mixed(group: Sequence[float | None]) -> bool:
    scored = [total for total in group if total is not None]
    return bool(scored) and max(scored) - min(scored) > _MIXED_SPREAD
