"""What every job is as a process: arguments, signals, exit codes.

Exit codes: 0 done, 1 refused or failed (the last line on standard error says why), 2 wrong usage,
143 stopped by SIGTERM.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TypeVar

from envfactory_assets.stages.reward.errors import RewardError
from rl_jobs.config import JobConfig, load_config
from rl_jobs.errors import JobError, JobStoppedError
from sandboxes.core.errors import SandboxError

FAILED = 1
STOPPED = 128 + signal.SIGTERM

_Config = TypeVar("_Config", bound=JobConfig)


class StopSignal:
    """Remembers that SIGTERM came.

    Between train steps the job looks at `is_set` and stops after saving; where it cannot look,
    while it loads or evaluates, `stops_at_once` makes the signal end it right away.
    """

    def __init__(self) -> None:
        """Start with no signal."""
        self.is_set = False
        self.stops_at_once = True

    def install(self) -> None:
        """Listen for SIGTERM and SIGINT; a second one always stops at once."""
        signal.signal(signal.SIGTERM, self._hear)
        signal.signal(signal.SIGINT, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.stops_at_once or self.is_set:
            raise JobStoppedError("Stopped by SIGTERM; nothing of this run was kept.")
        self.is_set = True


def run_job(
    description: str,
    kind: type[_Config],
    job: Callable[[_Config, StopSignal], None],
    load: Callable[[Path, type[_Config]], _Config] = load_config,
) -> int:
    """Run a job by its command line and return the exit code.

    Args:
        description: What the job does, for its usage.
        kind: What it is told.
        job: What it does.
        load: How its configuration is read.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--config", type=Path, required=True, help="a JSON file of settings")
    arguments = parser.parse_args()
    # Threads that wait for each other must not spin: the machine may be shared.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    stop = StopSignal()
    stop.install()
    try:
        job(load(arguments.config, kind), stop)
    except JobStoppedError as error:
        return _end(str(error), STOPPED)
    except (JobError, SandboxError, RewardError) as error:
        return _end(str(error), FAILED)
    except OSError as error:
        return _end(f"{error.strerror}: {error.filename}. Free or correct it and start again.", 1)
    return 0


def _end(message: str, code: int) -> int:
    sys.stdout.flush()
    sys.stderr.write(f"{message}\n")
    return code
