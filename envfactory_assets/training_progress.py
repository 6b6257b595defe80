"""Following the training jobs of a home while they run, by the metrics that they write."""

import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

_EVERY_STEPS = 20
_POLL_SECONDS = 2.0
_SHOWN = ("loss", "reward", "solved")


@contextmanager
def following_training(checkpoints: Path, say: Callable[[str], None]) -> Generator[None]:
    """Say every twentieth train step of the jobs that write below a folder, until the end.

    Args:
        checkpoints: Where training jobs have their output folders.
        say: Is given one line a step that is shown.
    """
    follower = _Follower(checkpoints, say)
    thread = threading.Thread(target=follower.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        follower.ended.set()
        thread.join()


class _Follower:
    def __init__(self, checkpoints: Path, say: Callable[[str], None]) -> None:
        self._checkpoints = checkpoints
        self._say = say
        self._began = time.time()
        self._shown: dict[Path, int] = {}
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(_POLL_SECONDS):
            self._look()
        self._look()

    def _look(self) -> None:
        for path in sorted(self._checkpoints.glob("*/metrics.jsonl")):
            if path.stat().st_mtime >= self._began:
                self._show(path)

    def _show(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        for line in whole[self._shown.get(path, 0) :]:
            row = json.loads(line)
            if row["step"] % _EVERY_STEPS == 0 or row["step"] == row["steps"]:
                figures = "  ".join(f"{name} {row[name]:.3f}" for name in _SHOWN if name in row)
                self._say(f"{row['job']:<12} {row['step']}/{row['steps']}  {figures}")
        self._shown[path] = len(whole)
