"""Evaluation as a process: `python -m rl_jobs.evaluate --config evaluate.json`.

Every policy attempts the same tasks: once always taking its likeliest token, and some times
sampling. Writes `attempts.jsonl` (one row an attempt) and, last, `evaluation.json` into the output
folder.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, cast

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.evaluation.attempts import (
    REPORT_FILE,
    EvaluatedAttempt,
    evaluated_attempt,
    write_attempts,
)
from envfactory_assets.stages.evaluation.error_classes import SOLVED
from envfactory_assets.stages.trajectories.reference import reference_from_json
from rl_jobs.config import EvaluateConfig, EvaluatedPolicy, discover_environments
from rl_jobs.process import StopSignal, run_job
from rl_jobs.progress import open_progress
from rl_jobs.rows import read_rows
from rl_jobs.task_choice import choose_tasks
from rl_jobs.task_session import Place

if TYPE_CHECKING:
    from rl_jobs.trl.policy import Policy
    from rl_jobs.trl.rollouts import Rollout

_GROUPS: dict[str, Callable[[EvaluatedAttempt], str]] = {
    "by_domain": lambda row: row.domain,
    "by_split": lambda row: row.split,
    "by_difficulty": lambda row: row.difficulty,
}


def evaluate_policies(config: EvaluateConfig, stop: StopSignal) -> None:
    """Score policies on held-out tasks.

    Raises:
        JobError: If something that was configured cannot be used, or the job was asked to stop.
    """
    del stop
    from rl_jobs.trl.policy import load_policy, make_reproducible

    started = time.monotonic()
    data = read_rows(config.rows_file, RlTask)
    make_reproducible(config.threads, config.seed)
    first = load_policy(config.policies[0].model, config.use_cpu).dialect
    chosen = choose_tasks(
        data.rows, config.tasks, lambda task: len(first.begin(task.prompt, task.tools).prompt)
    )
    place = Place(discover_environments(config.environment_roots), config.limits, config.reward)
    config.output_folder.mkdir(parents=True, exist_ok=True)
    (config.output_folder / REPORT_FILE).unlink(missing_ok=True)
    with open_progress(config.output_folder) as progress:
        progress.line(f"evaluate: {len(chosen.tasks)} tasks (passed over: {chosen.passed_over})")
        attempts: list[EvaluatedAttempt] = []
        for number, entry in enumerate(config.policies, 1):
            seed = config.seed if entry.untrained else None
            policy = load_policy(entry.model, config.use_cpu, random_seed=seed)
            rows = _attempt_all(policy, chosen.tasks, config, place, entry)
            attempts += rows
            progress.step("evaluate", number, len(config.policies), _figures(rows))
            progress.line(f"evaluate: {entry.name} earns {_figures(rows)['reward']:.3f}")
        report = _report(config, attempts, chosen.passed_over, data.data_hash)
        report["seconds"] = round(time.monotonic() - started, 1)
        _write(config, attempts, report)
        progress.finish(report)


def _attempt_all(
    policy: "Policy",
    tasks: Sequence[RlTask],
    config: EvaluateConfig,
    place: Place,
    entry: EvaluatedPolicy,
) -> list[EvaluatedAttempt]:
    """Return the attempts of one policy, those that take the likeliest tokens first."""
    from rl_jobs.trl.rollouts import roll_out

    rows: list[EvaluatedAttempt] = []
    greedy = [(task, 0) for task in tasks]
    sampled = [(task, number) for number in range(config.samples) for task in tasks]
    for temperature, wanted in ((0.0, greedy), (config.temperature, sampled)):
        for start in range(0, len(wanted), config.batch_size):
            batch = wanted[start : start + config.batch_size]
            asked = [task for task, _ in batch]
            found = roll_out(policy.model, policy.dialect, asked, place, temperature)
            for (task, number), rollout in zip(batch, found, strict=True):
                text = policy.dialect.text(rollout.completion)
                rows.append(_row(entry.name, task, rollout, place, text, number, temperature))
    return rows


def _row(
    name: str,
    task: RlTask,
    rollout: "Rollout",
    place: Place,
    text: str,
    sample: int,
    temperature: float,
) -> EvaluatedAttempt:
    limits = place.limits
    is_used_up = (
        rollout.messages >= limits.max_messages or rollout.outcome.calls >= limits.max_calls
    )
    return evaluated_attempt(
        name,
        task,
        reference_from_json(task.reference),
        rollout.outcome.attempt,
        rollout.outcome.reward,
        fault=rollout.outcome.fault,
        is_cut=rollout.is_cut or is_used_up,
        completion=text,
        sample=sample,
        decoding="sampled" if temperature else "greedy",
    )


def _figures(rows: Sequence[EvaluatedAttempt]) -> dict[str, float]:
    """Return the means over the attempts without a fault, and the counts of what went wrong."""
    rows = [row for row in rows if row.decoding == "greedy"]
    scored = [row.reward for row in rows if row.reward is not None]
    return {
        "tasks": float(len(rows)),
        "reward": fmean(scored) if scored else 0.0,
        "solved": fmean(reward >= SOLVED for reward in scored) if scored else 0.0,
        "faults": float(len(rows) - len(scored)),
        "format_errors": float(sum(row.format_errors for row in rows)),
        "cut": float(sum(row.is_cut for row in rows)),
    }


def _report(
    config: EvaluateConfig,
    attempts: Sequence[EvaluatedAttempt],
    passed_over: dict[str, int],
    data: str,
) -> JsonObject:
    policies: JsonObject = {}
    for entry in config.policies:
        own = [row for row in attempts if row.policy == entry.name]
        figures: JsonObject = {**_figures(own), "model": entry.model}
        for name, key in _GROUPS.items():
            values = sorted({key(row) for row in own})
            figures[name] = {
                value: cast("JsonObject", _figures([row for row in own if key(row) == value]))
                for value in values
            }
        policies[entry.name] = figures
    return {
        "policies": policies,
        "data_hash": data,
        "passed_over": cast("JsonObject", passed_over),
        "config": cast("JsonObject", config.model_dump(mode="json")),
    }


def _write(
    config: EvaluateConfig, attempts: Sequence[EvaluatedAttempt], report: JsonObject
) -> None:
    write_attempts(attempts, config.output_folder)
    partial = config.output_folder / f"{REPORT_FILE}.partial"
    partial.write_text(json.dumps(report, indent=2, sort_keys=True), encoding="utf-8")
    partial.rename(config.output_folder / REPORT_FILE)


if __name__ == "__main__":
    sys.exit(run_job("Score policies on held-out tasks.", EvaluateConfig, evaluate_policies))
