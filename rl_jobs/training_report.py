"""The output folder of a training job: what stands in it, and the report that ends it.

`training.json` is written last: where it stands, the policy beside it is whole and was made from
the configuration and the data that it names.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from rl_jobs.config import TrainConfig
from rl_jobs.errors import JobStoppedError
from rl_jobs.process import StopSignal
from rl_jobs.progress import METRICS_FILE
from sandboxes.core.canonical import content_hash

REPORT_FILE = "training.json"
_ORIGIN_FILE = "origin.json"


class OutputFolder:
    """Where a training job writes."""

    def __init__(self, config: TrainConfig) -> None:
        """Know the folder of a job's configuration; nothing is written yet."""
        self._config = config
        self._folder = config.output_folder
        self._data_hash = ""
        self.resumes = False

    @property
    def policy(self) -> Path:
        """The folder of the trained policy."""
        return self._folder / "policy"

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints on the way."""
        return self._folder / "checkpoints"

    def begin(self, data_hash: str) -> None:
        """Take back an earlier report, and checkpoints of another configuration or data."""
        self._data_hash = data_hash
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / REPORT_FILE).unlink(missing_ok=True)
        origin = content_hash({"config": self._settings(), "data": data_hash})
        marker = self.checkpoints / _ORIGIN_FILE
        known = marker.read_text(encoding="utf-8") if marker.is_file() else ""
        kept = any(path.is_dir() for path in self.checkpoints.glob("*"))
        self.resumes = known == origin and kept
        if known != origin:
            shutil.rmtree(self.checkpoints, ignore_errors=True)
        if self._config.checkpoint_steps:
            self.checkpoints.mkdir(exist_ok=True)
            marker.write_text(origin, encoding="utf-8")

    def refuse_if_stopped(self, stop: StopSignal, steps: int) -> None:
        """End the job when it was asked to stop.

        Raises:
            JobStoppedError: If it was.
        """
        stop.stops_at_once = True
        if stop.is_set:
            raise self.stopped(steps)

    def stopped(self, steps: int) -> JobStoppedError:
        """Return the error of a job that was stopped after so many train steps."""
        kept = (
            "started again with the same configuration it goes on from its last checkpoint"
            if self._config.checkpoint_steps
            else "nothing was kept, since checkpoint_steps is 0"
        )
        return JobStoppedError(
            f"Stopped by SIGTERM at train step {steps} of {self._config.train_steps}; {kept}."
        )

    def curve(self, name: str) -> list[float]:
        """Return one metric over the train steps."""
        return [float(cast("float", row[name])) for row in self._metrics() if name in row]

    def finish(self, steps: int, seconds: float, counts: Mapping[str, JsonValue]) -> JsonObject:
        """Write the report and return it in short; checkpoints on the way are removed."""
        metrics = self._metrics()
        report: JsonObject = {
            "policy": str(self.policy),
            "data_hash": self._data_hash,
            "train_steps": steps,
            "seconds": round(seconds, 1),
            **counts,
            "first_metrics": metrics[0] if metrics else {},
            "last_metrics": metrics[-1] if metrics else {},
        }
        whole: JsonObject = {**report, "config": self._settings()}
        partial = self._folder / f"{REPORT_FILE}.partial"
        partial.write_text(json.dumps(whole, indent=2, sort_keys=True), encoding="utf-8")
        partial.rename(self._folder / REPORT_FILE)
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        return report

    def _settings(self) -> JsonObject:
        return cast("JsonObject", self._config.model_dump(mode="json"))

    def _metrics(self) -> list[JsonObject]:
        lines = (self._folder / METRICS_FILE).read_text(encoding="utf-8").splitlines()
        return [cast("JsonObject", json.loads(line)) for line in lines]
