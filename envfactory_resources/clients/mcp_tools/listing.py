"""The tool list of a server, by command or by URL.

A command runs with the rights of whoever asks, unconfined: start only servers you trust. Of the
environment it sees the search path, the home folder and the user's name, and what is passed to it
here; keys that lie in the asking process's environment are not passed on.
"""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from envfactory_resources.clients.mcp_tools.errors import (
    McpAddressError,
    McpTimeoutError,
    McpUnavailableError,
)

if TYPE_CHECKING:
    from fastmcp import Client
    from fastmcp.client.transports import ClientTransport

_KEPT = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
_LONGEST_LOG = 300


def list_tools(
    *,
    command: Sequence[str] = (),
    url: str = "",
    variables: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_seconds: float = 60.0,
) -> dict[str, JsonValue]:
    """Return what a server offers, in the shape of an `mcp_tools` document.

    Args:
        command: Program and arguments of a server that speaks over its standard streams.
        url: Address of a server that speaks HTTP; one of the two is given.
        variables: Environment variables for the command, beside the few it always has.
        headers: Headers for the URL, such as one that authenticates.
        timeout_seconds: For starting, connecting and listing together.

    Raises:
        McpToolsError: No list can be had; the message says why.
    """
    if bool(command) == bool(url):
        raise McpAddressError(
            f"Give a command or a URL of an MCP server; got command={list(command)!r} and "
            f"url={url!r}."
        )
    if url and not url.startswith(("http://", "https://")):
        raise McpAddressError(f"{url!r} is no address; it must begin with http:// or https://.")
    if command and shutil.which(command[0]) is None:
        raise McpUnavailableError(f"The program {command[0]!r} is not found; install it first.")
    with TemporaryDirectory() as folder:
        log = Path(folder) / "stderr.txt"
        transport = (
            _of_command(command, variables or {}, log) if command else _of_url(url, headers or {})
        )
        name = command[0] if command else url
        return _listed(transport, name, log, timeout_seconds)


def _of_command(
    command: Sequence[str], variables: Mapping[str, str], log: Path
) -> "ClientTransport":
    from fastmcp.client.transports import StdioTransport

    return StdioTransport(
        command[0], list(command[1:]), env=dict(variables), keep_alive=False, log_file=log
    )


def _of_url(url: str, headers: Mapping[str, str]) -> "ClientTransport":
    from fastmcp.client.transports import SSETransport, StreamableHttpTransport
    from fastmcp.mcp_config import infer_transport_type_from_url

    kind = SSETransport if infer_transport_type_from_url(url) == "sse" else StreamableHttpTransport
    return kind(url, headers=dict(headers))


def _listed(
    transport: "ClientTransport", name: str, log: Path, timeout_seconds: float
) -> dict[str, JsonValue]:
    try:
        return asyncio.run(_ask(transport, timeout_seconds))
    except TimeoutError as error:
        raise McpTimeoutError(
            f"{name!r} has not listed its tools within {timeout_seconds:g} seconds{_said(log)}."
        ) from error
    except Exception as error:  # whatever transports raise: the boundary to a foreign program
        raise McpUnavailableError(
            f"{name!r} does not list its tools: {_innermost(error)}{_said(log)}."
        ) from error


async def _ask(transport: "ClientTransport", timeout_seconds: float) -> dict[str, JsonValue]:
    from fastmcp import Client

    async with asyncio.timeout(timeout_seconds), Client(transport) as client:
        return await _document(client)


async def _document(client: "Client[ClientTransport]") -> dict[str, JsonValue]:
    tools: list[JsonValue] = []
    for tool in await client.list_tools():
        dumped = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        tools.append({key: dumped[key] for key in _KEPT if key in dumped})
    document: dict[str, JsonValue] = {}
    info = client.server_info
    if info is not None:
        document["serverInfo"] = {"name": info.name, "version": info.version}
    if client.instructions:
        document["instructions"] = client.instructions
    document["tools"] = tools
    return document


def _innermost(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return _innermost(group.exceptions[0])
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _said(log: Path) -> str:
    """Return the last that a started server wrote to its error stream."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f"; its last words: {lines[-1][:_LONGEST_LOG].rstrip('.')}" if lines else ""
