"""Answers of a search kept on disk, so that a rerun asks the model the same and pays nothing.

What a search returns becomes part of the conversation with the model, whose replies are kept by
their conversation: were a search to answer otherwise in a rerun, every later reply would be
bought again.
"""

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from envfactory_resources.clients.web_search.errors import SearchMemoryError
from envfactory_resources.clients.web_search.web_search import SearchHit, WebSearch
from sandboxes.core.canonical import content_hash

KeptT = TypeVar("KeptT", bound=BaseModel)


class _KeptHits(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    query: str
    hits: list[SearchHit]


class _KeptPage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    address: str
    text: str


class RememberedSearch:
    """Asks another search once for each question; failures are not kept."""

    def __init__(self, search: WebSearch, folder: Path, name: str) -> None:
        """Open a memory; nothing is read or written until it is used.

        Args:
            search: Whom to ask.
            folder: Where answers are kept; delete it to search anew.
            name: What the search is, say its command; another name shares no answers.
        """
        self._search = search
        self._folder = folder
        self._name = name

    def search(self, query: str, limit: int) -> list[SearchHit]:
        """Return the hits for a query, as they were when it was first asked.

        Raises:
            SearchFailedError: If no answer came.
            SearchMemoryError: If it cannot be kept.
        """
        path = self._path("search", query, limit)
        kept = _load(path, _KeptHits)
        if kept is None:
            kept = _KeptHits(query=query, hits=self._search.search(query, limit))
            self._keep(path, kept)
        return kept.hits

    def read(self, address: str) -> str:
        """Return the text of a document, as it was when it was first read.

        Raises:
            UnknownAddressError: If there is no such document.
            SearchFailedError: If it did not come.
            SearchMemoryError: If it cannot be kept.
        """
        path = self._path("read", address)
        kept = _load(path, _KeptPage)
        if kept is None:
            kept = _KeptPage(address=address, text=self._search.read(address))
            self._keep(path, kept)
        return kept.text

    def _path(self, *asked: str | int) -> Path:
        key = content_hash([self._name, *asked])
        return self._folder / key[:2] / f"{key}.json"

    def _keep(self, path: Path, answer: BaseModel) -> None:
        temporary = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(answer.model_dump_json(), encoding="utf-8")
            temporary.replace(path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise SearchMemoryError(
                f"Cannot keep a search below {self._folder}: {error.strerror or error}. Free "
                "space or configure another folder."
            ) from error


def _load(path: Path, kind: type[KeptT]) -> KeptT | None:
    try:
        return kind.model_validate_json(path.read_bytes())
    # A damaged file counts as none and is written anew.
    except (OSError, ValidationError):
        return None
