"""Searching a folder of documents: no network, same answers every time."""

import html
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from envfactory_resources.clients.web_search.errors import (
    SearchSettingsError,
    UnknownAddressError,
)
from envfactory_resources.clients.web_search.page_text import excerpt_about, page_text, shortened
from envfactory_resources.clients.web_search.ranking import rank, terms_of
from envfactory_resources.clients.web_search.web_search import SearchHit

_ENDINGS = frozenset({".md", ".txt", ".html", ".htm", ".json", ".yaml", ".yml"})
_HEADING = re.compile(r"^#+\s+(.+)$", re.MULTILINE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_EXCERPT_CHARACTERS = 300
_MAX_TITLE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class _Document:
    address: str
    title: str
    text: str
    terms: tuple[str, ...]


class FolderSearch:
    """Finds and reads the documents below a folder; addresses are paths within it.

    Files are read at the first question and then stay as they were. Only files that truly lie
    below the folder count: a link that leads out of it does not.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_file_bytes: int = 2_000_000,
        max_page_characters: int = 20_000,
    ) -> None:
        """Configure a folder; nothing is read yet.

        Args:
            folder: Where the documents are: Markdown, text, HTML, JSON or YAML.
            max_file_bytes: Longer files are read only so far.
            max_page_characters: The most that `read` returns.

        Raises:
            SearchSettingsError: If there is no such folder.
        """
        if not folder.is_dir():
            raise SearchSettingsError(
                f"Search folder {str(folder)!r} does not exist. Correct the path, or make it and "
                "put documents into it."
            )
        self._folder = folder.resolve()
        self._max_file_bytes = max_file_bytes
        self._max_page_characters = max_page_characters

    def search(self, query: str, limit: int) -> list[SearchHit]:
        """Return the best documents for a query, best first; none when no word is shared."""
        documents = list(self._documents.values())
        found = rank(query, [document.terms for document in documents])[:limit]
        wanted = frozenset(terms_of(query))
        return [
            SearchHit(
                title=documents[place].title,
                address=documents[place].address,
                excerpt=excerpt_about(documents[place].text, wanted, _EXCERPT_CHARACTERS),
            )
            for place in found
        ]

    def read(self, address: str) -> str:
        """Return the text of a document.

        Raises:
            UnknownAddressError: If the folder has no such document.
        """
        document = self._documents.get(address)
        if document is None:
            raise UnknownAddressError(
                f"No document {address!r} in the folder; read an address that a search returned."
            )
        return shortened(document.text, self._max_page_characters)

    @cached_property
    def _documents(self) -> dict[str, _Document]:
        paths = (path for path in sorted(self._folder.rglob("*")) if path.suffix in _ENDINGS)
        found = [self._document(path) for path in paths if self._is_inside(path)]
        return {document.address: document for document in found}

    def _is_inside(self, path: Path) -> bool:
        return path.is_file() and path.resolve().is_relative_to(self._folder)

    def _document(self, path: Path) -> _Document:
        with path.open("rb") as file:
            content = file.read(self._max_file_bytes).decode(errors="replace")
        text = page_text(content)
        address = path.relative_to(self._folder).as_posix()
        title = _title(content, path)
        return _Document(address, title, text, tuple(terms_of(f"{title} {text}")))


def _title(content: str, path: Path) -> str:
    match = (_TITLE if path.suffix in (".html", ".htm") else _HEADING).search(content)
    found = " ".join(html.unescape(match.group(1)).split()) if match else ""
    return shortened(found or path.stem, _MAX_TITLE_CHARACTERS)
