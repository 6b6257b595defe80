"""Replies on disk, so that nothing is paid for twice.

One file a reply, named by the content hash of the request, written to a temporary name and
renamed. Whoever finds an answer already there takes it in place of his own, so that one question
has one answer. A damaged file counts as none.
"""

import logging
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from envfactory_resources.clients.language_model.errors import ReplyCacheError
from envfactory_resources.clients.language_model.reply import Reply

_log = logging.getLogger(__name__)


class ReplyCache:
    """Replies by request key; may be shared by threads and processes."""

    def __init__(self, folder: Path) -> None:
        """Open a cache; nothing is read or written until it is used.

        Args:
            folder: Where the replies are.
        """
        self._folder = folder
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def asking(self, key: str) -> Generator[None]:
        """Let one thread at a time ask a question, so that the others find its answer."""
        with self._lock:
            lock, holders = self._waiting.get(key, (threading.Lock(), 0))
            self._waiting[key] = (lock, holders + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, holders = self._waiting.pop(key)
                if holders > 1:
                    self._waiting[key] = (lock, holders - 1)

    def load(self, key: str) -> Reply | None:
        """Return the reply kept under a key, or None."""
        path = self._path(key)
        try:
            reply = Reply.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            _log.warning("Skipping damaged reply cache file %s: %s", path, type(error).__name__)
            return None
        return reply.model_copy(
            update={"usage": reply.usage.model_copy(update={"from_cache": True})}
        )

    def keep(self, key: str, reply: Reply, *, replace: bool = False) -> Reply:
        """Keep a reply, and return the one that is kept: another process may have been first.

        Args:
            key: The key of the request.
            reply: What was answered.
            replace: Whether a reply that is already there is to go.

        Raises:
            ReplyCacheError: If it cannot be written.
        """
        first = None if replace else self.load(key)
        if first is not None:
            return first
        path = self._path(key)
        temporary = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(reply.model_dump_json(), encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise ReplyCacheError(
                f"Cannot keep a reply below {self._folder}: {error.strerror or error}. Free space "
                "or configure another cache folder; the replies already there stay valid."
            ) from error
        return reply

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
