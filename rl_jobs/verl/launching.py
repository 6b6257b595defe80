"""Running verl below a job: its log becomes our progress, and it ends when the job does."""

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rl_jobs.errors import TrainerError
from rl_jobs.progress import Progress
from rl_jobs.verl.log_lines import RolloutReward, fault_of, means_of, reward_of, step_of

LOG_FILE = "verl.log"
_SHOWN_LINES = 15
_PATIENCE_SECONDS = 20.0
_ROOT = Path(__file__).parents[2]


@dataclass
class LogReader:
    """Turns verl's lines into steps of our progress.

    Attributes:
        job: What our lines begin with.
        steps: How many train steps there will be.
        names: verl's metrics that are reported, each with our name for it.
        last_step: The last train step that verl told of.
        faults: How many rollouts had a fault.
    """

    job: str
    steps: int
    names: Mapping[str, str]
    last_step: int = 0
    faults: int = 0
    _rewards: list[RolloutReward] = field(default_factory=list[RolloutReward])
    _step_faults: int = 0

    def read(self, line: str, progress: Progress) -> None:
        """Take one line."""
        fault, reward, step = fault_of(line), reward_of(line), step_of(line)
        if fault is not None:
            self._step_faults += 1
            progress.line(f"{self.job}: fault in a rollout: {fault}")
        elif reward is not None:
            self._rewards.append(reward)
        elif step is not None:
            self._report(step[0], step[1], progress)

    def _report(self, step: int, told: Mapping[str, float], progress: Progress) -> None:
        metrics = means_of(self._rewards)
        metrics |= {ours: told[theirs] for theirs, ours in self.names.items() if theirs in told}
        if not metrics:
            return
        if self._rewards:
            metrics["faults"] = float(self._step_faults)
        self.last_step, self.faults = step, self.faults + self._step_faults
        self._rewards, self._step_faults = [], 0
        progress.step(self.job, step, self.steps, metrics)


def run_verl(
    command: Sequence[str],
    variables: Mapping[str, str],
    reader: LogReader,
    progress: Progress,
    folder: Path,
) -> None:
    """Run verl and follow its log, which is also written to `verl.log`.

    Raises:
        TrainerError: If it fails.
    """
    last: deque[str] = deque(maxlen=_SHOWN_LINES)
    with (
        (folder / LOG_FILE).open("w", encoding="utf-8") as log,
        _process(command, variables) as run,
    ):
        for line in _lines(run):
            log.write(line)
            log.flush()
            last.append(line.rstrip())
            reader.read(line, progress)
        code = run.wait()
    if code:
        end = "\n".join(last)
        raise TrainerError(
            f"verl ended with exit code {code} after train step {reader.last_step} of "
            f"{reader.steps}; its log is {folder / LOG_FILE}. Its last lines:\n{end}"
        )


def trainer_command(module: str, config: Path, processes: int | None = None) -> list[str]:
    """Return the command that runs a verl trainer with a composed configuration.

    Args:
        module: verl's module.
        config: The configuration file.
        processes: How many processes torchrun starts; None for a trainer that starts its own.
    """
    start = [sys.executable, "-m"]
    if processes is not None:
        start += ["torch.distributed.run", "--standalone", f"--nproc_per_node={processes}", "-m"]
    folder, name = str(config.parent.absolute()), config.stem
    named = ["--config-path", folder, "--config-name", name]
    return [*start, module, *named, f"hydra.run.dir='{folder}'", "hydra.output_subdir=null"]


def cpu_variables(threads: int) -> dict[str, str]:
    """Return what makes verl train without a GPU (see `plugins`)."""
    return {
        "VERL_USE_EXTERNAL_MODULES": "rl_jobs.verl.plugins",
        "VERL_PLATFORM": "cpu",
        "VERL_ENGINE_DEVICE": "cuda",
        "OMP_NUM_THREADS": str(threads),
    }


def shared_variables() -> dict[str, str]:
    """Return what every verl process is told."""
    paths = [str(_ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": "ignore",
        "HYDRA_FULL_ERROR": "1",
        # A fault that comes twice is two faults.
        "RAY_DEDUP_LOGS": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "OMP_WAIT_POLICY": "PASSIVE",
    }


def _lines(run: "subprocess.Popen[str]") -> Iterator[str]:
    if run.stdout is not None:
        yield from run.stdout


@contextmanager
def _process(
    command: Sequence[str], variables: Mapping[str, str]
) -> "Generator[subprocess.Popen[str]]":
    """Start a process in a group of its own, and end the whole group on the way out."""
    run = subprocess.Popen(
        command,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        yield run
    finally:
        _end(run)


def _end(run: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGTERM)
    try:
        run.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    if run.stdout is not None:
        run.stdout.close()
