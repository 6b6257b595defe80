"""The tools that a researcher searches and reads with: the endpoint's own, or ours.

Texts of pages are data that nobody vouches for. Ours are wrapped in tags that they cannot close;
the endpoint wraps its own. Neither can have a page read whose address no search or page gave.
"""

import html
from typing import Protocol, cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.research_settings import ResearchSettings
from envfactory_assets.stages.proposals.seen_pages import SeenPages
from envfactory_resources.clients.language_model.reply import (
    Reply,
    RequestedCall,
    tool_result,
)
from envfactory_resources.clients.web_search.errors import SearchFailedError, UnknownAddressError
from envfactory_resources.clients.web_search.web_search import WebSearch

_NO_MORE = "That was the last one: hand in what you have."


class SearchTools(Protocol):
    """Searching and reading within one conversation."""

    @property
    def tools(self) -> tuple[JsonObject, ...]:
        """The tools as a request offers them."""
        ...

    @property
    def seen(self) -> SeenPages:
        """What was found and read so far."""
        ...

    def observe(self, reply: Reply) -> None:
        """Note what the endpoint found while it made a reply."""
        ...

    def answer(self, call: RequestedCall) -> JsonObject:
        """Return the result of a call that the model asks for."""
        ...


class NoSearch:
    """No search: the model proposes from what it knows, and nothing counts as a source."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self.seen = SeenPages()

    @property
    def tools(self) -> tuple[JsonObject, ...]:
        """No tools."""
        return ()

    def observe(self, reply: Reply) -> None:
        """Note nothing."""
        del reply

    def answer(self, call: RequestedCall) -> JsonObject:
        """Refuse the call."""
        return _unknown(call, self.tools)


class EndpointSearch:
    """Anthropic's server tools: the endpoint searches and reads while it makes a reply."""

    def __init__(self, settings: ResearchSettings) -> None:
        """Take the bounds; they hold for each request."""
        self._settings = settings
        self.seen = SeenPages()

    @property
    def tools(self) -> tuple[JsonObject, ...]:
        """The server tools."""
        search: JsonObject = {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": self._settings.max_searches,
        }
        fetch: JsonObject = {
            "type": "web_fetch_20250910",
            "name": "web_fetch",
            "max_uses": self._settings.max_reads,
            "max_content_tokens": self._settings.page_tokens,
        }
        return (search, fetch)

    def observe(self, reply: Reply) -> None:
        """Note the addresses in the result blocks of a reply; errors in them give none."""
        for block in reply.content:
            content = block.get("content")
            if block.get("type") == "web_search_tool_result" and isinstance(content, list):
                for hit in content:
                    self._note(hit, "title")
            elif block.get("type") == "web_fetch_tool_result" and isinstance(content, dict):
                document = content.get("content")
                title = document.get("title") if isinstance(document, dict) else None
                self._note({**content, "title": title}, "title")

    def answer(self, call: RequestedCall) -> JsonObject:
        """Refuse the call: the endpoint answers its own."""
        return _unknown(call, self.tools)

    def _note(self, found: JsonValue, title_key: str) -> None:
        address = found.get("url") if isinstance(found, dict) else None
        if isinstance(address, str):
            title = cast("JsonObject", found).get(title_key)
            self.seen.found(address, title if isinstance(title, str) else address)


class ClientSearch:
    """Our own tools `search` and `read`, answered by a `WebSearch`."""

    def __init__(self, search: WebSearch, settings: ResearchSettings) -> None:
        """Take whom to ask, and the bounds."""
        self._search = search
        self._settings = settings
        self._searches_left = settings.max_searches
        self._reads_left = settings.max_reads
        self.seen = SeenPages()

    @property
    def tools(self) -> tuple[JsonObject, ...]:
        """The two tools."""
        return (
            _tool("search", "Search documents by some words.", "query", "Some words."),
            _tool("read", "Read a page that was found.", "address", "As a search or page gave it."),
        )

    def observe(self, reply: Reply) -> None:
        """Note nothing: what is found is found here."""
        del reply

    def answer(self, call: RequestedCall) -> JsonObject:
        """Search or read; what cannot be done is said in the result."""
        argument = call.arguments.get("query" if call.tool == "search" else "address")
        if call.tool not in ("search", "read"):
            return _unknown(call, self.tools)
        if not isinstance(argument, str) or not argument.strip():
            said = f"Tool {call.tool!r} takes one text, got {str(call.arguments)[:80]!r}."
            return tool_result(call.call_id, said, is_error=True)
        try:
            text = self._find(argument) if call.tool == "search" else self._read(argument)
        except (SearchFailedError, UnknownAddressError) as error:
            return tool_result(call.call_id, str(error), is_error=True)
        return tool_result(call.call_id, text)

    def _find(self, query: str) -> str:
        if self._searches_left <= 0:
            raise SearchFailedError(f"No searches are left. {_NO_MORE}")
        self._searches_left -= 1
        hits = self._search.search(query, self._settings.hits_per_search)
        for hit in hits:
            self.seen.found(hit.address, hit.title)
        found = "\n".join(
            f'<found address="{html.escape(hit.address)}">\n{_escaped(hit.title)}\n'
            f"{_escaped(hit.excerpt)}\n</found>"
            for hit in hits
        )
        return found or "Nothing was found. Try other words."

    def _read(self, address: str) -> str:
        if not self.seen.may_read(address):
            raise UnknownAddressError(
                f"{address[:120]!r} was not found by a search, nor is it linked within the site "
                "of a page that was read."
            )
        if self._reads_left <= 0:
            raise SearchFailedError(f"No pages are left to read. {_NO_MORE}")
        self._reads_left -= 1
        text = self._search.read(address.strip())
        self.seen.found(address, self.seen.title_of(address) or address)
        self.seen.linked(address, text)
        return f'<page address="{html.escape(address)}">\n{_escaped(text)}\n</page>'


def _tool(name: str, description: str, argument: str, said: str) -> JsonObject:
    schema: JsonObject = {
        "type": "object",
        "properties": {argument: {"type": "string", "description": said}},
        "required": [argument],
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "input_schema": schema}


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _unknown(call: RequestedCall, tools: tuple[JsonObject, ...]) -> JsonObject:
    names = ", ".join(str(tool["name"]) for tool in tools) or "none"
    said = f"There is no tool {call.tool[:60]!r} to call here; tools for research: {names}."
    return tool_result(call.call_id, said, is_error=True)
