"""Wall time and peak memory of the main job, and of running it again with nothing changed.

`--chains` sets the size; `--training` also trains and evaluates. Peak memory is the sum of the
resident memory of all processes of the run, sampled twice a second (Linux).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Run the main job twice in a home of its own and print what it cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chains", type=int, default=8, help="chains a domain")
    parser.add_argument("--training", action="store_true", help="train and evaluate too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for name in ("from scratch", "again, nothing changed"):
            seconds, peak = _run(Path(home), arguments.chains, with_training=arguments.training)
            print(f"{name}: {seconds:.0f} s, peak memory {peak / 2**30:.2f} GiB")


def _run(home: Path, chains: int, *, with_training: bool) -> tuple[float, int]:
    command = [sys.executable, "-m", "envfactory_assets.command_line", "run"]
    variables = {
        "ENVFACTORY_HOME": str(home),
        "ENVFACTORY_DAGSTER_STORAGE": str(home / "dagster"),
        "ENVFACTORY_CHAINS_PER_DOMAIN": str(chains),
    }
    began = time.monotonic()
    process = subprocess.Popen(
        command if with_training else [*command, "--no-training"],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory_of_session(process.pid))
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"The main job failed with exit code {process.returncode}.")
    return time.monotonic() - began, peak


def _memory_of_session(session: int) -> int:
    """Return the resident memory, in bytes, of every process of a session."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[3]) == session:
            total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    return total


if __name__ == "__main__":
    main()
