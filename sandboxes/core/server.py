"""MCP serving: environments as FastMCP applications, over stdio or HTTP.

`python -m sandboxes.core.server travel.hotel_booking --transport http` serves one environment.
Every call happens in a session that it names (`session_address`). Over stdio, calls that name none
share one default session; over HTTP, where clients would meet in it, they are refused.
"""

import argparse
import asyncio
import contextlib
import inspect
import logging
import signal
import socket
import sys
from collections.abc import Mapping, Sequence

import uvicorn
from fastmcp import FastMCP
from starlette.applications import Starlette
from starlette.middleware import Middleware as HttpMiddleware

from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import SandboxError, UnverifiedEnvironmentError
from sandboxes.core.scenario import Scenario
from sandboxes.core.served_tool import ServedTool
from sandboxes.core.session import Session
from sandboxes.core.session_address import AddressedCalls, UnknownToolCalls
from sandboxes.core.session_registry import (
    IDLE_SECONDS,
    SESSION_LIMIT,
    LiveSession,
    SessionRegistry,
)
from sandboxes.core.session_routes import MCP_PATH, SessionPath, add_session_routes
from sandboxes.core.session_tools import SESSION_TOOLS, SessionTools

_LAST_PORT = 65_535


def build_server(
    catalog: Catalog,
    environment_ids: Sequence[str],
    *,
    registry: SessionRegistry | None = None,
    default_scenario: Scenario | None = None,
    verified: Mapping[str, str] | None = None,
    with_session_tools: bool = False,
) -> FastMCP:
    """Build the application that serves some environments together.

    Args:
        catalog: Where the environments are found.
        environment_ids: The environments to serve.
        registry: Where sessions live, made for the `served_catalog` of the same environments.
        default_scenario: Where the one session starts that calls share when they name none; they
            are refused when None.
        verified: Source hashes of verified environments by id (see `served_catalog`).
        with_session_tools: Whether clients are shown the tools that open and close sessions.

    Raises:
        SandboxError: If an environment is unknown, not verified, or does not load.
        ValueError: If the registry was made for other environments.
    """
    served = served_catalog(catalog, environment_ids, verified)
    if registry is None:
        registry = SessionRegistry(served)
    if registry.catalog.sources != served.sources:
        raise ValueError(f"The registry was not made for {environment_ids} as they stand.")
    default = LiveSession(Session.open(default_scenario, served)) if default_scenario else None
    calls = AddressedCalls(registry, default)
    sessions = SessionTools(registry)
    tools = [
        ServedTool.of(tool, calls.call) for tool in served.tools.values() if tool.actor == "agent"
    ]
    if with_session_tools:
        tools += [ServedTool.of(tool, sessions.call) for tool in SESSION_TOOLS.values()]
    server = _application(served, tools, calls)
    add_session_routes(server, sessions)
    return server


def _application(catalog: Catalog, tools: Sequence[ServedTool], calls: AddressedCalls) -> FastMCP:
    classes = [catalog.load(source.environment_id) for source in catalog.sources]
    return FastMCP(
        name=", ".join(source.environment_id for source in catalog.sources),
        instructions="\n\n".join(
            f"{cls.environment_name()}: {inspect.cleandoc(cls.__doc__ or '')}" for cls in classes
        ),
        version=content_hash([source.source_hash for source in catalog.sources])[:12],
        tools=tools,
        middleware=[UnknownToolCalls([tool.name for tool in tools], calls)],
        on_duplicate="error",
        mask_error_details=True,
        dereference_schemas=False,
    )


def served_catalog(
    catalog: Catalog, environment_ids: Sequence[str], verified: Mapping[str, str] | None = None
) -> Catalog:
    """Return the catalog of the environments that may be served.

    Args:
        catalog: Where the environments are found.
        environment_ids: The environments asked for.
        verified: Source hashes of verified environments by id: each must stand there with the hash
            that its source has now. When None, shipped environments may be served and no others.

    Raises:
        UnknownEnvironmentError: If the catalog lacks an environment.
        UnverifiedEnvironmentError: If an environment may not be served.
    """
    served = catalog.restricted_to(environment_ids)
    for source in served.sources:
        if verified is None and source.origin != "shipped":
            raise UnverifiedEnvironmentError(
                f"{source.environment_id} is {source.origin}, not shipped; verify it and pass the "
                "hash of its verified source."
            )
        verified_hash = (verified or {}).get(source.environment_id, "none")
        if verified is not None and verified_hash != source.source_hash:
            raise UnverifiedEnvironmentError(
                f"{source.environment_id} is not verified as its source stands (hash "
                f"{source.source_hash[:12]}, verified {verified_hash[:12]}); verify it again."
            )
    return served


def build_http_app(server: FastMCP) -> Starlette:
    """Return a server's HTTP application, to be run by any ASGI server."""
    return server.http_app(
        path=MCP_PATH,
        middleware=[HttpMiddleware(SessionPath)],
        stateless_http=True,
        json_response=True,
        host_origin_protection="auto",
    )


class _OneLineFormatter(logging.Formatter):
    """Formats a record as its level and message, without the traceback."""

    def __init__(self) -> None:
        """Set the format."""
        super().__init__("%(levelname)s: %(message)s")

    def formatException(self, ei: object) -> str:  # noqa: ARG002, N802 (logging's name)
        """Return nothing: what a client caused is told in one line."""
        return ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve shipped environments until the client leaves or the process is told to stop."""
    parser = argument_parser("python -m sandboxes.core.server")
    serve(parser, parser.parse_args(arguments), Catalog.discover())


def serve(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    catalog: Catalog,
    verified: Mapping[str, str] | None = None,
) -> None:
    """Serve until the client leaves (stdio) or the process is told to stop (HTTP).

    Args:
        parser: Tells the user what is wrong with the options.
        options: What `argument_parser` read.
        catalog: Where the environments are found.
        verified: Source hashes of verified environments by id (see `served_catalog`).
    """
    if options.session_limit < 1 or options.idle_seconds <= 0:
        parser.error("--session-limit and --idle-seconds must be positive.")
    if not 0 <= options.port <= _LAST_PORT:
        parser.error(f"--port must lie between 0 and {_LAST_PORT}, not at {options.port}.")
    try:
        server = _server_for(options, catalog, verified)
    except SandboxError as error:
        parser.error(str(error))
    if options.transport == "stdio":
        _log_one_line_a_fault()
        # The transport waits for input in a thread that an interrupt does not reach.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        asyncio.run(server.run_stdio_async(show_banner=False))
        return
    try:
        listener = _listen(options.host, options.port)
    except OSError as error:
        parser.error(f"Cannot listen on {options.host} port {options.port}: {error}.")
    _log_one_line_a_fault()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve_http(server, listener))


def _log_one_line_a_fault() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLineFormatter())
    logging.basicConfig(level=logging.ERROR, handlers=[handler])
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)


def argument_parser(program: str) -> argparse.ArgumentParser:
    """Return a parser of the options that `serve` takes."""
    parser = argparse.ArgumentParser(prog=program, description="Serve environments over MCP.")
    parser.add_argument("environments", nargs="+", help="ids, such as travel.hotel_booking")
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (http)")
    parser.add_argument("--port", type=int, default=8765, help="port, 0 for a free one (http)")
    parser.add_argument("--seed", type=int, default=0, help="what sessions are drawn from")
    parser.add_argument(
        "--session-limit", type=int, default=SESSION_LIMIT, help="how many may be open at once"
    )
    parser.add_argument(
        "--idle-seconds", type=float, default=IDLE_SECONDS, help="when an unused session goes"
    )
    parser.add_argument(
        "--session-tools", action="store_true", help="show clients the tools that open sessions"
    )
    return parser


def _server_for(
    options: argparse.Namespace, catalog: Catalog, verified: Mapping[str, str] | None
) -> FastMCP:
    registry = SessionRegistry(
        served_catalog(catalog, options.environments, verified),
        seed=options.seed,
        limit=options.session_limit,
        idle_seconds=options.idle_seconds,
    )
    return build_server(
        catalog,
        options.environments,
        registry=registry,
        default_scenario=registry.draw() if options.transport == "stdio" else None,
        verified=verified,
        with_session_tools=options.session_tools,
    )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"Serving at http://{shown}:{listener.getsockname()[1]}{MCP_PATH}\n")
    sys.stderr.flush()
    return listener


async def _serve_http(server: FastMCP, listener: socket.socket) -> None:
    config = uvicorn.Config(build_http_app(server), lifespan="on", ws="none", log_level="critical")
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    main()
