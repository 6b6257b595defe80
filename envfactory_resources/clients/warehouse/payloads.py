"""The payload files: written under a temporary name, synced, then given their final one."""

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import BinaryIO

from envfactory_resources.clients.warehouse.durable_files import make_folder, replace_durably
from envfactory_resources.clients.warehouse.milestones import Milestone, MilestoneHook
from envfactory_resources.clients.warehouse.names import partition_folder

FileOpener = Callable[[Path], BinaryIO]
"""Creates a file that must not exist yet, and opens it for writing bytes."""


def create_file(path: Path) -> BinaryIO:
    """Create a file that must not exist yet and open it for writing bytes."""
    return path.open("xb")


class Payloads:
    """The files of a warehouse that hold rows, by asset and partition."""

    def __init__(self, root: Path, open_file: FileOpener, reached: MilestoneHook) -> None:
        """Name the payloads of a home."""
        self._folder = root / "payloads"
        self._open_file = open_file
        self._reached = reached

    def path(self, asset: str, partition: str | None, version_id: str) -> Path:
        """Return where the payload of a version lies."""
        return self._folder / asset / partition_folder(partition) / f"{version_id}.parquet"

    def stage(self, asset: str, partition: str | None, content: bytes) -> Path:
        """Write bytes durably to a temporary file beside their final place; return its path."""
        folder = self._folder / asset / partition_folder(partition)
        make_folder(folder)
        path, file = self._create_temporary(folder)
        try:
            with file:
                self._reached(Milestone.PAYLOAD_OPENED)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        self._reached(Milestone.PAYLOAD_SYNCED)
        return path

    def put(self, staged: Path, path: Path) -> None:
        """Give a staged file its final place; what the log does not list there is garbage."""
        replace_durably(staged, path)
        self._reached(Milestone.PAYLOAD_RENAMED)

    def committed_names(self) -> Iterator[Path]:
        """Yield every file that has the name of a payload, listed in the log or not."""
        yield from sorted(self._folder.glob("*/*/*.parquet"))

    def temporary_names(self) -> Iterator[Path]:
        """Yield every temporary file, of a live writer or of a dead one."""
        yield from sorted(self._folder.glob("*/*/.*.tmp"))

    def _create_temporary(self, folder: Path) -> tuple[Path, BinaryIO]:
        for number in count():
            path = folder / f".{os.getpid()}-{number}.tmp"
            try:
                return path, self._open_file(path)
            except FileExistsError:
                continue
        raise AssertionError("count() never ends")
