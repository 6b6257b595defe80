"""What a job tells while it runs: lines, metrics by train step, and a report at its end.

Lines go to standard output and metrics to `metrics.jsonl` in the output folder. Under Dagster Pipes
(`DAGSTER_PIPES_CONTEXT` is set) the same also goes to Dagster; nothing of it is imported otherwise.
"""

import json
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TextIO, cast

from pydantic import JsonValue

METRICS_FILE = "metrics.jsonl"


class _PipesLog(Protocol):
    def info(self, message: str) -> None: ...


class _Pipes(Protocol):
    """The part of `dagster_pipes.PipesContext` that is used."""

    @property
    def log(self) -> _PipesLog: ...

    def report_custom_message(self, payload: Mapping[str, JsonValue]) -> None: ...

    def report_asset_materialization(self, metadata: Mapping[str, JsonValue]) -> None: ...


class _PipesModule(Protocol):
    """The part of `dagster_pipes` that is used; its own types are partly unknown."""

    def open_dagster_pipes(self) -> AbstractContextManager[_Pipes]: ...


class Progress:
    """Reports to standard output, to the metrics file and, where there is one, to Dagster."""

    def __init__(self, metrics: TextIO, pipes: _Pipes | None) -> None:
        """Report to an open metrics file; use `open_progress`."""
        self._metrics = metrics
        self._pipes = pipes

    def line(self, text: str) -> None:
        """Say one line."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
        if self._pipes is not None:
            self._pipes.log.info(text)

    def step(self, job: str, step: int, steps: int, metrics: Mapping[str, float]) -> None:
        """Record the metrics of one train step and say them."""
        row: dict[str, JsonValue] = {"job": job, "step": step, "steps": steps, **metrics}
        self._metrics.write(json.dumps(row) + "\n")
        self._metrics.flush()
        shown = "  ".join(f"{name} {value:.4g}" for name, value in metrics.items())
        self.line(f"{job} {step}/{steps}  {shown}")
        if self._pipes is not None:
            self._pipes.report_custom_message(row)

    def finish(self, metadata: Mapping[str, JsonValue]) -> None:
        """Report what was made; to Dagster as the metadata of its one materialization."""
        if self._pipes is not None:
            self._pipes.report_asset_materialization(
                metadata={name: _as_metadata(value) for name, value in metadata.items()}
            )


def _as_metadata(value: JsonValue) -> JsonValue:
    """Return a value as Pipes takes it: a scalar as it is, all else with its type."""
    if isinstance(value, dict | list):
        return {"raw_value": value, "type": "json"}
    return {"raw_value": None, "type": "null"} if value is None else value


@contextmanager
def open_progress(output_folder: Path, *, keeps_metrics: bool = False) -> Generator[Progress]:
    """Open the progress of a job.

    Args:
        output_folder: Where the metrics file is written.
        keeps_metrics: Whether to add to metrics that are there, as a resumed job does.
    """
    output_folder.mkdir(parents=True, exist_ok=True)
    mode = "a" if keeps_metrics else "w"
    with (output_folder / METRICS_FILE).open(mode, encoding="utf-8") as metrics:
        if not os.environ.get("DAGSTER_PIPES_CONTEXT"):
            yield Progress(metrics, None)
            return
        import dagster_pipes

        with cast("_PipesModule", dagster_pipes).open_dagster_pipes() as pipes:
            yield Progress(metrics, pipes)
