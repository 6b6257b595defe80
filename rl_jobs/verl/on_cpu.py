"""SFT and GRPO with verl on the CPU, one after the other: `make train-verl-cpu`.

Trains on the rows that the training assets wrote for TRL, and says the reward curve at the end.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from rl_jobs.errors import JobError, RowsError
from rl_jobs.process import StopSignal
from rl_jobs.progress import METRICS_FILE
from rl_jobs.verl.grpo import grpo
from rl_jobs.verl.settings import Keys, VerlGrpoConfig, VerlSftConfig, parse_verl_config
from rl_jobs.verl.sft import sft

ROWS_FILE = "rows.jsonl"
_WIDTH = 40


def train(home: Path, changes: Keys) -> Path:
    """Train by both jobs and return the folder of the GRPO job.

    Args:
        home: Where `checkpoints/` stands.
        changes: How many steps of each, the tasks of a step and the attempts at each, and the seed.
    """
    checkpoints = home / "checkpoints"
    target = checkpoints / "verl-cpu"
    seed: Keys = {"seed": changes["seed"]}
    stop = StopSignal()
    stop.install()
    given: Keys = {
        "rows_file": str(newest_rows(checkpoints, "sft")),
        "output_folder": str(target / "sft"),
        "train_steps": changes["sft_steps"],
    }
    sft(parse_verl_config({**given, **seed}, VerlSftConfig), stop)
    given = {
        "rows_file": str(newest_rows(checkpoints, "grpo")),
        "output_folder": str(target / "grpo"),
        "model": str(target / "sft" / "policy"),
        "train_steps": changes["grpo_steps"],
        "tasks_per_step": changes["tasks_per_step"],
        "group_size": changes["group_size"],
        "tasks": {"max_tasks": changes["max_tasks"]},
    }
    grpo(parse_verl_config({**given, **seed}, VerlGrpoConfig), stop)
    return target / "grpo"


def newest_rows(checkpoints: Path, job: str) -> Path:
    """Return the rows that a training asset wrote last.

    Raises:
        RowsError: If there are none.
    """
    found = sorted(
        checkpoints.glob(f"{job}-*/{ROWS_FILE}"), key=lambda path: path.stat().st_mtime_ns
    )
    if not found:
        raise RowsError(
            f"There are no rows for {job} in {checkpoints}/{job}-*; materialize the training "
            "assets first (`make run`), or name another home with --home."
        )
    return found[-1]


def curve_text(rewards: Sequence[float]) -> str:
    """Return a reward curve as lines, one a train step."""
    lines = [
        f"{step:5d}  {reward:.3f}  {'#' * round(reward * _WIDTH)}"
        for step, reward in enumerate(rewards, 1)
    ]
    return "\n".join([" step  mean reward of the rollouts", *lines])


def main() -> int:
    """Run by the command line and return the exit code."""
    parser = argparse.ArgumentParser(description="SFT and GRPO with verl on the CPU.")
    parser.add_argument("--home", type=Path, required=True, help="holds checkpoints/")
    parser.add_argument("--sft-steps", type=int, default=200)
    parser.add_argument("--grpo-steps", type=int, default=6)
    parser.add_argument("--tasks-per-step", type=int, default=8)
    parser.add_argument("--group-size", type=int, default=8)
    parser.add_argument("--max-tasks", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    given = cast("Keys", vars(parser.parse_args()))
    try:
        folder = train(Path(str(given.pop("home"))), given)
    except JobError as error:
        sys.stdout.flush()
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{curve_text(_rewards(folder))}\n")
    return 0


def _rewards(folder: Path) -> list[float]:
    lines = (folder / METRICS_FILE).read_text(encoding="utf-8").splitlines()
    rows = [cast("dict[str, float]", json.loads(line)) for line in lines]
    return [row["reward"] for row in rows if "reward" in row]


if __name__ == "__main__":
    sys.exit(main())
