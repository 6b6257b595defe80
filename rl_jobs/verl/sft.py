"""SFT with verl as a process: `python -m rl_jobs.verl.sft --config sft.json`.

Runs in verl's own Python environment. Writes what `rl_jobs.sft` writes, and beside it `verl/`:
verl's data file, its composed configuration and its log.
"""

import sys
import time
from pathlib import Path

from envfactory_assets.records.datasets import SftExample
from rl_jobs.errors import JobStoppedError, RowsError
from rl_jobs.process import StopSignal, run_job
from rl_jobs.progress import open_progress
from rl_jobs.rows import read_rows
from rl_jobs.training_report import OutputFolder
from rl_jobs.verl.data_files import write_conversations
from rl_jobs.verl.hydra_keys import compose
from rl_jobs.verl.job_keys import sft_keys
from rl_jobs.verl.launching import (
    LogReader,
    cpu_variables,
    run_verl,
    shared_variables,
    trainer_command,
)
from rl_jobs.verl.saved_policy import keep_policy
from rl_jobs.verl.settings import VerlSftConfig, load_verl_config, verl_keys

METRICS = {"train/loss": "loss", "train/lr": "learning_rate", "train/grad_norm": "gradient_norm"}


def sft(config: VerlSftConfig, stop: StopSignal) -> None:
    """Train a policy to imitate conversations.

    Raises:
        JobError: If something that was configured cannot be used, or the job was asked to stop.
    """
    del stop
    started = time.monotonic()
    output = OutputFolder(config)
    data = read_rows(config.rows_file, SftExample)
    examples = [row for row in data.rows if row.split in config.splits]
    if not examples:
        raise RowsError(f"{config.rows_file.name} holds no example of {', '.join(config.splits)}.")
    output.begin(data.data_hash)
    work = config.output_folder / "verl"
    with open_progress(config.output_folder, keeps_metrics=output.resumes) as progress:
        start, lessons = _prepare(config, examples, work)
        preset, own = verl_keys(config)
        keys = sft_keys(config, start, work / "sft.parquet", output.checkpoints)
        composed = compose("sft_trainer_engine", {**preset, **keys, **own}, work / "sft.yaml")
        progress.line(f"sft: {lessons} lessons from {len(examples)} conversations, verl starts")
        reader = LogReader("sft", config.train_steps, METRICS)
        command = trainer_command("verl.trainer.sft_trainer", composed, config.gpus_per_node)
        variables = shared_variables() | (cpu_variables(config.threads) if config.use_cpu else {})
        try:
            run_verl(command, variables, reader, progress, work)
        except JobStoppedError as error:
            raise output.stopped(reader.last_step) from error
        keep_policy(output.checkpoints, start, output.policy)
        counts = {"lessons": lessons, "examples": len(examples), "trainer": "verl"}
        report = output.finish(reader.last_step, time.monotonic() - started, counts)
        progress.line(f"sft: done in {report['seconds']} s, policy in {output.policy}")
        progress.finish(report)


def _prepare(
    config: VerlSftConfig, examples: list[SftExample], work: Path
) -> tuple[Path | str, int]:
    """Write the data file; return where training starts from, and how many lessons there are."""
    from rl_jobs.trl.policy import make_reproducible
    from rl_jobs.trl.sft_training import starting_policy
    from rl_jobs.verl.stock_lessons import stock_lessons

    target = work / "sft.parquet"
    if config.model is not None:
        conversations = stock_lessons(examples)
        write_conversations(target, conversations)
        return config.model, len(conversations)
    make_reproducible(config.threads, config.seed)
    policy = starting_policy(config, examples)
    lessons = [
        (lesson.messages, row.tools)
        for row in examples
        for lesson in policy.dialect.lessons(row.messages, row.tools, config.max_tokens)
    ]
    if not lessons:
        raise RowsError(
            f"No example of {config.rows_file.name} has {config.max_tokens} tokens or fewer; "
            "raise max_tokens."
        )
    write_conversations(target, lessons)
    policy.save(work / "start")
    return work / "start", len(lessons)


if __name__ == "__main__":
    sys.exit(
        run_job(
            "Train a policy with verl to imitate conversations.",
            VerlSftConfig,
            sft,
            load=load_verl_config,
        )
    )
