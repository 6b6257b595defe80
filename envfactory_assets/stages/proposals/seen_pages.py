"""Which addresses a researcher has really seen; only they may be read or named as sources."""

import re
from urllib.parse import urlsplit

_WEB_ADDRESS = re.compile(r"https?://[^\s\[\]()<>\"'`{}|\\^]+")
_SENTENCE_ENDS = ".,;:!?"


class SeenPages:
    """Addresses that searches and pages gave, with titles."""

    def __init__(self) -> None:
        """Start with none."""
        self._titles: dict[str, str] = {}
        self._links: set[str] = set()

    def found(self, address: str, title: str) -> None:
        """Note what a search found, or what was read."""
        if not self._titles.get(_plain(address)):
            self._titles[_plain(address)] = title

    def linked(self, page: str, text: str) -> None:
        """Note the links in a page that was read, so far as they stay with its host.

        A page that nobody vouches for must not decide which other hosts are asked for something.
        """
        host = _host(page)
        for address in _WEB_ADDRESS.findall(text):
            address = address.rstrip(_SENTENCE_ENDS)
            if host and _host(address) == host:
                self._links.add(_plain(address))

    def may_read(self, address: str) -> bool:
        """Whether an address was found by a search, or is linked in a page that was read."""
        return _plain(address) in self._titles or _plain(address) in self._links

    def title_of(self, address: str) -> str | None:
        """Return the title of what was found or read; None for an address that was not."""
        return self._titles.get(_plain(address))

    def __len__(self) -> int:
        """How many pages were found or read."""
        return len(self._titles)


def _plain(address: str) -> str:
    return address.strip().split("#")[0].rstrip("/")


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    # Brackets that are no IPv6 address.
    except ValueError:
        return None
