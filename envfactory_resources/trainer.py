"""The trainer: runs the jobs of `rl_jobs` as processes of their own, through Dagster Pipes."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import dagster as dg
from dagster._core.errors import DagsterPipesExecutionError
from pydantic import JsonValue

from envfactory_resources.home import CHECKOUT

Job = Literal["sft", "grpo", "evaluate"]
LOG_FILE = "job.log"
_TAIL_LINES = 20
_INTO_LOG = 'exec "$0" "$@" > "$ENVFACTORY_JOB_LOG" 2>&1'


class TrainingFailedError(Exception):
    """A training process that did not end well; its message holds the tail of its log."""


@dataclass(frozen=True, slots=True)
class Trainer:
    """Launches jobs.

    Attributes:
        interpreter: The Python that runs them; it needs the `train` extra, and no Dagster.
        client: The Pipes client; cancelling the run interrupts the job.
    """

    interpreter: str
    client: dg.PipesSubprocessClient

    def run(
        self, context: dg.AssetExecutionContext, job: Job, config: Mapping[str, JsonValue]
    ) -> None:
        """Run a job to its end; its lines and metrics reach Dagster while it runs.

        Args:
            context: Of the asset that the job is for.
            job: Which job.
            config: What it is told; `output_folder` is where it writes, its log included.

        Raises:
            TrainingFailedError: If it ends with another exit code than 0.
        """
        folder = Path(str(config["output_folder"]))
        folder.mkdir(parents=True, exist_ok=True)
        config_file = folder / f"{job}.json"
        config_file.write_text(json.dumps(config, indent=2, sort_keys=True), encoding="utf-8")
        module = f"rl_jobs.{job}"
        command = [self.interpreter, "-m", module, "--config", str(config_file)]
        try:
            self.client.run(
                context=context.op_execution_context,
                command=["/bin/sh", "-c", _INTO_LOG, *command],
                cwd=str(CHECKOUT),
                env={"ENVFACTORY_JOB_LOG": str(folder / LOG_FILE), "PYTHONUNBUFFERED": "1"},
            )
        except DagsterPipesExecutionError as error:
            raise TrainingFailedError(
                f"{module} failed; the end of {folder / LOG_FILE}:\n{log_tail(folder)}"
            ) from error


class TrainerResource(dg.ConfigurableResource[Trainer]):
    """Hands assets the trainer.

    Attributes:
        interpreter: The Python of the training environment; empty for the one Dagster runs in.
    """

    interpreter: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Trainer:
        """Return the trainer."""
        named = self.interpreter or os.environ.get("ENVFACTORY_TRAINING_PYTHON", "")
        client = dg.PipesSubprocessClient(termination_timeout_seconds=60)
        return Trainer(named or sys.executable, client)


def log_tail(folder: Path) -> str:
    """Return the last lines of a job's log."""
    path = folder / LOG_FILE
    if not path.exists():
        return "(no log)"
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL_LINES:])
