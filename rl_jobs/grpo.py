"""GRPO as a process: `python -m rl_jobs.grpo --config grpo.json`.

Writes `policy/` (model and tokenizer), `metrics.jsonl` and, last, `training.json` into the output
folder.
"""

import sys
import time
from statistics import fmean

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from rl_jobs.config import GrpoConfig, discover_environments
from rl_jobs.process import StopSignal, run_job
from rl_jobs.progress import open_progress
from rl_jobs.rows import read_rows
from rl_jobs.task_choice import choose_tasks
from rl_jobs.task_session import Place
from rl_jobs.training_report import OutputFolder

_SMOOTHED_STEPS = 5


def grpo(config: GrpoConfig, stop: StopSignal) -> None:
    """Train a policy by the reward of its attempts in live sessions.

    Raises:
        JobError: If something that was configured cannot be used, or the job was asked to stop.
    """
    from rl_jobs.trl.grpo_training import train_grpo
    from rl_jobs.trl.policy import load_policy, make_reproducible

    started = time.monotonic()
    output = OutputFolder(config)
    data = read_rows(config.rows_file, RlTask)
    make_reproducible(config.threads, config.seed)
    policy = load_policy(config.model, config.use_cpu)
    dialect = policy.dialect
    chosen = choose_tasks(
        data.rows, config.tasks, lambda task: len(dialect.begin(task.prompt, task.tools).prompt)
    )
    output.begin(data.data_hash)
    with open_progress(config.output_folder, keeps_metrics=output.resumes) as progress:
        progress.line(
            f"grpo: {len(chosen.tasks)} tasks (passed over: {chosen.passed_over}), "
            f"{policy.parameter_count:,} weights"
        )
        place = Place(discover_environments(config.environment_roots), config.limits, config.reward)
        stop.stops_at_once = False
        steps = train_grpo(policy, chosen.tasks, config, place, progress, stop, output.checkpoints)
        output.refuse_if_stopped(stop, steps)
        policy.save(output.policy)
        rewards = output.curve("reward")
        counts: JsonObject = {
            "tasks": len(chosen.tasks),
            **{f"tasks_{reason}": count for reason, count in chosen.passed_over.items()},
            "parameters": policy.parameter_count,
            "first_reward": fmean(rewards[:_SMOOTHED_STEPS]),
            "last_reward": fmean(rewards[-_SMOOTHED_STEPS:]),
            "faults": sum(output.curve("faults")),
        }
        report = output.finish(steps, time.monotonic() - started, counts)
        progress.line(f"grpo: done in {report['seconds']} s, policy in {output.policy}")
        progress.finish(report)


if __name__ == "__main__":
    sys.exit(run_job("Train a policy by reward in live sessions.", GrpoConfig, grpo))
