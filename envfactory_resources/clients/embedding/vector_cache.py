"""Vectors on disk, so that a text is embedded once.

A cache is a folder of immutable segment files, each the vectors of one call, written to a temporary
name and renamed: several processes share it without locks, and the worst a killed process or a
damaged file costs is computing some vectors again.
"""

import hashlib
import logging
import os
import re
import threading
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from envfactory_resources.clients.embedding.errors import VectorCacheError
from envfactory_resources.clients.embedding.vectors import Vectors
from sandboxes.core.canonical import content_hash

_log = logging.getLogger(__name__)

_UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


class VectorCache:
    """The vectors of one model, keyed by the hash of model id and text."""

    def __init__(self, folder: Path, model_id: str) -> None:
        """Open a cache; nothing is read or written until it is used.

        Args:
            folder: Shared by all models; each gets a folder of its own below it.
            model_id: The model whose vectors these are.
        """
        readable = re.sub(r"[^A-Za-z0-9.-]+", "_", model_id)
        self._folder = folder / f"{readable}-{content_hash(model_id)[:8]}"
        self._model_id = model_id
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}
        self._seen_segments: set[str] = set()

    def get(self, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """Return the vectors of those texts that have one, other processes' included."""
        keys = {text: self._key(text) for text in texts}
        if not self._vectors.keys() >= set(keys.values()):
            self._read_new_segments()
        return {text: self._vectors[key] for text, key in keys.items() if key in self._vectors}

    def put(self, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Keep the vectors of some texts.

        Raises:
            VectorCacheError: If they cannot be written, or their length differs from that of the
                vectors already there.
        """
        if not vectors:
            return
        new = {self._key(text): vector for text, vector in vectors.items()}
        kept_length, new_length = self.dimension(), len(next(iter(new.values())))
        if kept_length not in (None, new_length):
            raise VectorCacheError(
                f"Vectors of {self._model_id!r} in {self._folder} have length {kept_length}, the "
                f"new ones {new_length}: two models share one id. Give one another id, or delete "
                "the folder."
            )
        self._write_segment(new)
        self._vectors.update(new)

    def dimension(self) -> int | None:
        """Return the length of the vectors, or None while there are none."""
        if not self._vectors:
            self._read_new_segments()
        return next((len(vector) for vector in self._vectors.values()), None)

    def _key(self, text: str) -> str:
        return content_hash([self._model_id, text])

    def _read_new_segments(self) -> None:
        for path in sorted(self._folder.glob("*.npz")):
            if path.name in self._seen_segments:
                continue
            self._seen_segments.add(path.name)
            try:
                self._vectors.update(_read_segment(path))
            except _UNREADABLE as error:
                _log.warning("Skipping damaged vector cache file %s: %s", path, error)

    def _write_segment(self, new: Mapping[str, npt.NDArray[np.float32]]) -> None:
        keys = sorted(new)
        path = self._folder / f"{hashlib.sha256(''.join(keys).encode()).hexdigest()[:32]}.npz"
        temporary = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as file:
                np.savez(file, keys=np.array(keys), vectors=np.stack([new[key] for key in keys]))
            temporary.replace(path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise VectorCacheError(
                f"Cannot write vectors below {self._folder}: {error.strerror or error}. Free space "
                "or configure another cache folder; what is there already stays valid."
            ) from error
        self._seen_segments.add(path.name)


def _read_segment(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    # Opened here because np.load leaves a damaged file open.
    with path.open("rb") as file, np.load(file, allow_pickle=False) as segment:
        keys: npt.NDArray[np.str_] = segment["keys"]
        vectors: Vectors = segment["vectors"]
    if keys.ndim != 1 or vectors.ndim != 2 or len(keys) != len(vectors):
        raise ValueError("keys and vectors do not belong together")
    return {str(key): vector for key, vector in zip(keys, vectors.astype(np.float32), strict=True)}
