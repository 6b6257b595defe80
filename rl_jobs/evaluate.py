"""Evaluation as a process: `python -m rl_jobs.evaluate --config evaluate.json`.

Every policy attempts the same tasks once, always taking its likeliest token. Writes `attempts.jsonl`
(one row a policy and task) and, last, `evaluation.json` into the output folder.
"""

import json
import sys
import time
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, cast

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from rl_jobs.config import EvaluateConfig, EvaluatedPolicy, discover_environments
from rl_jobs.process import StopSignal, run_job
from rl_jobs.progress import open_progress
from rl_jobs.rows import read_rows
from rl_jobs.task_choice import choose_tasks

if TYPE_CHECKING:
    from rl_jobs.trl.policy import Policy
    from rl_jobs.trl.rollouts import Place, Rollout

REPORT_FILE = "evaluation.json"
ATTEMPTS_FILE = "attempts.jsonl"
SOLVED = 0.999


def evaluate_policies(config: EvaluateConfig, stop: StopSignal) -> None:
    """Score policies on held-out tasks.

    Raises:
        JobError: If something that was configured cannot be used, or the job was asked to stop.
    """
    del stop
    from rl_jobs.trl.policy import load_policy, make_reproducible
    from rl_jobs.trl.rollouts import Place

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
        attempts: list[JsonObject] = []
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
    place: "Place",
    entry: EvaluatedPolicy,
) -> list[JsonObject]:
    from rl_jobs.trl.rollouts import roll_out

    rows: list[JsonObject] = []
    for start in range(0, len(tasks), config.batch_size):
        batch = tasks[start : start + config.batch_size]
        found = roll_out(policy.model, policy.dialect, batch, place, temperature=0.0)
        rows += [
            _row(entry.name, task, rollout, policy.dialect.text(rollout.completion))
            for task, rollout in zip(batch, found, strict=True)
        ]
    return rows


def _row(name: str, task: RlTask, rollout: "Rollout", text: str) -> JsonObject:
    reward = rollout.outcome.reward
    return {
        "policy": name,
        "row_id": task.row_id,
        "domain": task.domain,
        "split": task.split,
        "reward": reward.total if reward else None,
        "trajectory": reward.trajectory if reward else None,
        "state": reward.state if reward else None,
        "fault": rollout.outcome.fault,
        "calls": rollout.outcome.calls,
        "format_errors": rollout.outcome.format_errors,
        "is_cut": rollout.is_cut,
        "completion": text,
    }


def _figures(rows: Sequence[JsonObject]) -> dict[str, float]:
    """Return the means over the attempts without a fault, and the counts of what went wrong."""
    scored = [cast("float", row["reward"]) for row in rows if row["reward"] is not None]
    return {
        "tasks": float(len(rows)),
        "reward": fmean(scored) if scored else 0.0,
        "solved": fmean(reward >= SOLVED for reward in scored) if scored else 0.0,
        "faults": float(len(rows) - len(scored)),
        "format_errors": float(sum(cast("int", row["format_errors"]) for row in rows)),
        "cut": float(sum(row["is_cut"] is True for row in rows)),
    }


def _report(
    config: EvaluateConfig, attempts: Sequence[JsonObject], passed_over: dict[str, int], data: str
) -> JsonObject:
    policies: JsonObject = {}
    for entry in config.policies:
        own = [row for row in attempts if row["policy"] == entry.name]
        figures: JsonObject = {**_figures(own), "model": entry.model}
        for key in ("domain", "split"):
            values = sorted({str(row[key]) for row in own})
            figures[f"by_{key}"] = {
                value: cast("JsonObject", _figures([row for row in own if row[key] == value]))
                for value in values
            }
        policies[entry.name] = figures
    return {
        "policies": policies,
        "data_hash": data,
        "passed_over": cast("JsonObject", passed_over),
        "config": cast("JsonObject", config.model_dump(mode="json")),
    }


def _write(config: EvaluateConfig, attempts: Sequence[JsonObject], report: JsonObject) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in attempts)
    (config.output_folder / ATTEMPTS_FILE).write_text(lines, encoding="utf-8")
    partial = config.output_folder / f"{REPORT_FILE}.partial"
    partial.write_text(json.dumps(report, indent=2, sort_keys=True), encoding="utf-8")
    partial.rename(config.output_folder / REPORT_FILE)


if __name__ == "__main__":
    sys.exit(run_job("Score policies on held-out tasks.", EvaluateConfig, evaluate_policies))
