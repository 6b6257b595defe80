"""Searching with commands of the user's choice: one searches, another reads a page."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from envfactory_resources.clients.web_search.bounded_command import run_bounded
from envfactory_resources.clients.web_search.errors import (
    SearchFailedError,
    SearchSettingsError,
    UnknownAddressError,
)
from envfactory_resources.clients.web_search.page_text import page_text, shortened
from envfactory_resources.clients.web_search.web_search import SearchHit

_EXCERPT_CHARACTERS = 500
_TITLE_CHARACTERS = 120


class _Line(BaseModel):
    """One line of a search's output; commands may say more than is used."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    address: str
    title: str = ""
    excerpt: str = ""


class CommandSearch:
    """Runs `<search command> <query>` and `<read command> <address>`, without a shell.

    A search writes one JSON object a line: `address`, `title`, `excerpt`. A page is written as
    text or HTML.
    """

    def __init__(
        self,
        search_command: Sequence[str],
        read_command: Sequence[str] = (),
        *,
        timeout_seconds: float = 30.0,
        max_output_bytes: int = 2_000_000,
        max_page_characters: int = 20_000,
    ) -> None:
        """Configure the commands; nothing is started yet.

        Args:
            search_command: Program and arguments; the query becomes the last one.
            read_command: Program and arguments; the address becomes the last one. Empty when
                pages cannot be read.
            timeout_seconds: A command is ended when it takes longer.
            max_output_bytes: A command is ended when it writes more.
            max_page_characters: The most that `read` returns.

        Raises:
            SearchSettingsError: If there is no search command.
        """
        if not search_command or isinstance(search_command, str) or isinstance(read_command, str):
            raise SearchSettingsError(
                f"Search command is {search_command!r}; give a list of program and arguments, "
                'say ["my-search", "--json"].'
            )
        self._search_command = tuple(search_command)
        self._read_command = tuple(read_command)
        self._timeout_seconds = timeout_seconds
        self._max_output_bytes = max_output_bytes
        self._max_page_characters = max_page_characters

    def search(self, query: str, limit: int) -> list[SearchHit]:
        """Return the first hits of the command, in its order.

        Raises:
            SearchFailedError: If the command fails, or writes something else than JSON lines.
        """
        # A query comes from a model: it must not turn into an option of the command.
        output = self._run(self._search_command, " ".join(query.split()).lstrip("-"))
        lines = [line for line in output.splitlines() if line.strip()][:limit]
        return [self._hit(line) for line in lines]

    def read(self, address: str) -> str:
        """Return the text of a page.

        Raises:
            UnknownAddressError: If the address is no web address, or no read command is there.
            SearchFailedError: If the command fails.
        """
        if not self._read_command:
            raise UnknownAddressError(
                "No command to read pages is configured; rely on the excerpts of searches."
            )
        if not address.startswith(("http://", "https://")) or len(address.split()) != 1:
            raise UnknownAddressError(
                f"{address!r} is no web address; read an address that a search returned."
            )
        text = page_text(self._run(self._read_command, address))
        return shortened(text, self._max_page_characters)

    def _run(self, command: Sequence[str], argument: str) -> str:
        return run_bounded(
            [*command, argument],
            timeout_seconds=self._timeout_seconds,
            max_bytes=self._max_output_bytes,
        )

    def _hit(self, line: str) -> SearchHit:
        try:
            read = _Line.model_validate_json(line)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
            raise SearchFailedError(
                f"Search command {self._search_command[0]!r} wrote a line that is no hit "
                f"({'.'.join(map(str, fault['loc'])) or 'line'}: {fault['msg']}): "
                f"{line[:100]!r}. It must write one JSON object a line: address, title, excerpt."
            ) from error
        return SearchHit(
            title=shortened(read.title or read.address, _TITLE_CHARACTERS),
            address=read.address,
            excerpt=shortened(read.excerpt, _EXCERPT_CHARACTERS),
        )
