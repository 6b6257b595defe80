"""GRPO with verl as a process: `python -m rl_jobs.verl.grpo --config grpo.json`.

Runs in verl's own Python environment. Writes what `rl_jobs.grpo` writes, and beside it `verl/`:
verl's data file, its composed configuration and its log.
"""

import json
import sys
import time
from pathlib import Path
from statistics import fmean

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.datasets.exports import AGENT_NAME
from rl_jobs.errors import JobStoppedError, RowsError
from rl_jobs.process import StopSignal, run_job
from rl_jobs.progress import open_progress
from rl_jobs.rows import read_rows
from rl_jobs.task_choice import ChosenTasks, choose_tasks
from rl_jobs.training_report import OutputFolder
from rl_jobs.verl.data_files import write_tasks
from rl_jobs.verl.hydra_keys import compose
from rl_jobs.verl.job_keys import grpo_keys
from rl_jobs.verl.launching import (
    LogReader,
    cpu_variables,
    run_verl,
    shared_variables,
    trainer_command,
)
from rl_jobs.verl.prompt_length import prompt_length
from rl_jobs.verl.saved_policy import keep_policy
from rl_jobs.verl.settings import Keys, VerlGrpoConfig, load_verl_config, verl_keys
from rl_jobs.verl.trajectory import LoopSettings, refuse_unusable

METRICS = {
    "critic/rewards/mean": "reward",
    "response_length/mean": "tokens",
    "actor/entropy": "entropy",
    "actor/kl_loss": "kl",
    "actor/grad_norm": "gradient_norm",
    "timing_s/step": "seconds",
}
_AGENT_LOOP = "rl_jobs.verl.agent_loop.EnvfactoryAgentLoop"
_SMOOTHED_STEPS = 5


def grpo(config: VerlGrpoConfig, stop: StopSignal) -> None:
    """Train a policy by the reward of its attempts in live sessions.

    Raises:
        JobError: If something that was configured cannot be used, or the job was asked to stop.
    """
    del stop
    started = time.monotonic()
    output = OutputFolder(config)
    data = read_rows(config.rows_file, RlTask)
    chosen = choose_tasks(data.rows, config.tasks, prompt_length(config.model))
    _check_count(config, chosen)
    settings = LoopSettings(
        limits=config.limits, reward=config.reward, environment_roots=config.environment_roots
    )
    refuse_unusable(chosen.tasks, settings.place())
    output.begin(data.data_hash)
    work = config.output_folder / "verl"
    with open_progress(config.output_folder, keeps_metrics=output.resumes) as progress:
        preset, own = verl_keys(config)
        rows = write_tasks(work / "grpo.parquet", chosen.tasks)
        keys = grpo_keys(config, rows, write_loop(settings, work), output.checkpoints)
        ray = _ray_keys(config, preset)
        composed = compose("ppo_trainer", {**ray, **keys, **own}, work / "grpo.yaml")
        progress.line(
            f"grpo: {len(chosen.tasks)} tasks (passed over: {chosen.passed_over}), verl starts"
        )
        reader = LogReader("grpo", config.train_steps, METRICS)
        variables = shared_variables() | (cpu_variables(config.threads) if config.use_cpu else {})
        command = trainer_command("verl.trainer.main_ppo", composed)
        try:
            run_verl(command, variables, reader, progress, work)
        except JobStoppedError as error:
            raise output.stopped(reader.last_step) from error
        keep_policy(output.checkpoints, config.model, output.policy)
        counts = _counts(chosen, output.curve("reward"), reader)
        report = output.finish(reader.last_step, time.monotonic() - started, counts)
        progress.line(f"grpo: done in {report['seconds']} s, policy in {output.policy}")
        progress.finish(report)


def write_loop(settings: LoopSettings, folder: Path) -> Path:
    """Write the file by which verl finds the agent loop, with its settings, and return its path."""
    entry = {
        "name": AGENT_NAME,
        "_target_": _AGENT_LOOP,
        "settings": settings.model_dump_json(),
    }
    path = folder / "agent_loop.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    # JSON is YAML.
    path.write_text(json.dumps([entry]), encoding="utf-8")
    return path.absolute()


def _ray_keys(config: VerlGrpoConfig, preset: Keys) -> Keys:
    """Return the preset's keys; resources are not for a job to set in a cluster that runs."""
    if config.ray_address is None:
        return preset
    kept = {key: value for key, value in preset.items() if "ray_kwargs.ray_init" not in key}
    return {**kept, "+ray_kwargs.ray_init.address": config.ray_address}


def _check_count(config: VerlGrpoConfig, chosen: ChosenTasks) -> None:
    if len(chosen.tasks) < config.tasks_per_step:
        raise RowsError(
            f"{len(chosen.tasks)} tasks fit the selection and a train step takes "
            f"{config.tasks_per_step}; verl would do no step. Lower tasks_per_step or widen "
            f"`tasks` (passed over: {chosen.passed_over})."
        )


def _counts(chosen: ChosenTasks, rewards: list[float], reader: LogReader) -> JsonObject:
    return {
        "tasks": len(chosen.tasks),
        **{f"tasks_{reason}": count for reason, count in chosen.passed_over.items()},
        "first_reward": fmean(rewards[:_SMOOTHED_STEPS]) if rewards else None,
        "last_reward": fmean(rewards[-_SMOOTHED_STEPS:]) if rewards else None,
        "faults": reader.faults,
        "trainer": "verl",
    }


if __name__ == "__main__":
    sys.exit(
        run_job(
            "Train a policy with verl by reward in live sessions.",
            VerlGrpoConfig,
            grpo,
            load=load_verl_config,
        )
    )
