"""The ways to confine a process, and what a fork server is told about the one to use."""

import sysconfig
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sandboxes.confinement.limits import Limits


class Mechanism(StrEnum):
    """A way to confine a process, in the order in which they are tried."""

    LANDLOCK = "landlock"
    BUBBLEWRAP = "bubblewrap"


class ServerSettings(BaseModel):
    """What a fork server is told when it starts.

    Attributes:
        mechanism: How it confines its workers.
        host: The module whose `answer` answers requests; None for a server that only tries.
        limits: What each worker may use.
        search_path: Where the host module and what it imports of ours are found.
        hash_seed: Seed of the hashes of texts in the workers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    mechanism: Mechanism
    host: str | None
    limits: Limits
    search_path: tuple[Path, ...]
    hash_seed: int


def library_folders() -> tuple[Path, ...]:
    """Return the folders of the standard library and of installed packages."""
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {Path(sysconfig.get_path(kind)).resolve() for kind in kinds}
    return tuple(sorted(folder for folder in folders if folder.is_dir()))


def libraries_are_public() -> bool:
    """Return whether any user may read the libraries, whatever folder they lie in."""
    folders = library_folders()
    ways = {way for folder in folders for way in (folder, *folder.parents)}
    return all(way.stat().st_mode & 0o1 for way in ways)
