"""SFT as a process: `python -m rl_jobs.sft --config sft.json`.

Writes `policy/` (model and tokenizer), `metrics.jsonl` and, last, `training.json` into the output
folder.
"""

import sys
import time
from typing import TYPE_CHECKING

from envfactory_assets.records.datasets import SftExample
from rl_jobs.config import SftConfig
from rl_jobs.errors import RowsError
from rl_jobs.process import StopSignal, run_job
from rl_jobs.progress import open_progress
from rl_jobs.rows import read_rows
from rl_jobs.training_report import OutputFolder

if TYPE_CHECKING:
    from rl_jobs.trl.sft_training import Corpus


def sft(config: SftConfig, stop: StopSignal) -> None:
    """Train a policy to imitate conversations.

    Raises:
        JobError: If something that was configured cannot be used, or the job was asked to stop.
    """
    from rl_jobs.trl.policy import make_reproducible
    from rl_jobs.trl.sft_training import corpus_of, starting_policy, train_sft

    started = time.monotonic()
    output = OutputFolder(config)
    data = read_rows(config.rows_file, SftExample)
    examples = [row for row in data.rows if row.split in config.splits]
    if not examples:
        raise RowsError(f"{config.rows_file.name} holds no example of {', '.join(config.splits)}.")
    make_reproducible(config.threads, config.seed)
    output.begin(data.data_hash)
    with open_progress(config.output_folder, keeps_metrics=output.resumes) as progress:
        policy = starting_policy(config, examples)
        corpus = corpus_of(policy.dialect, examples, config.max_tokens)
        if not corpus.lessons:
            raise RowsError(
                f"No example of {config.rows_file.name} has {config.max_tokens} tokens or fewer; "
                "raise max_tokens."
            )
        progress.line(
            f"sft: {len(corpus.lessons)} lessons from {len(examples)} conversations "
            f"({corpus.left_out} too long), {policy.parameter_count:,} weights"
        )
        stop.stops_at_once = False
        steps = train_sft(policy, corpus, config, progress, stop, output.checkpoints)
        output.refuse_if_stopped(stop, steps)
        policy.save(output.policy)
        counts = {
            **_counts(corpus),
            "examples": len(examples),
            "parameters": policy.parameter_count,
        }
        report = output.finish(steps, time.monotonic() - started, counts)
        progress.line(f"sft: done in {report['seconds']} s, policy in {output.policy}")
        progress.finish(report)


def _counts(corpus: "Corpus") -> dict[str, int]:
    return {
        "lessons": len(corpus.lessons),
        "examples_left_out": corpus.left_out,
        "tokens": sum(len(row.ids) for row in corpus.lessons),
        "target_tokens": sum(sum(row.is_target) for row in corpus.lessons),
    }


if __name__ == "__main__":
    sys.exit(run_job("Train a policy to imitate conversations.", SftConfig, sft))
