"""How sessions are addressed over HTTP: three JSON routes, and a path for each session.

| request | what it does |
|---|---|
| `POST /sessions` | open a session: `{}`, `{"seed": 7}` or `{"scenario": {…}}` |
| `GET /sessions/<handle>` | its states as they stand |
| `DELETE /sessions/<handle>` | close it; its end states |
| `/sessions/<handle>/mcp` | MCP, with every call in that session |

There is no authentication: a handle is all that it takes, so serve other hosts behind a proxy that
checks who asks.
"""

import re
from typing import cast

from fastmcp import FastMCP
from pydantic import JsonValue
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sandboxes.core.errors import (
    EnvironmentFaultError,
    SandboxError,
    SessionClosedError,
    SessionLimitError,
)
from sandboxes.core.parameters import JsonObject
from sandboxes.core.served_tool import fault_sentence
from sandboxes.core.session_tools import SessionTools

SESSION_HEADER = "x-envfactory-session"
MCP_PATH = "/mcp"

_SESSION_PATH = re.compile(rf"/sessions/([^/]+){MCP_PATH}/?")


class SessionPath:
    """ASGI middleware: a request to `/sessions/<handle>/mcp` is one to `/mcp` in that session.

    The handle in the path replaces one in the header.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Stand in front of an application that serves MCP at `/mcp`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, addressed by header."""
        found = _SESSION_PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if found is not None:
            name = SESSION_HEADER.encode()
            others = [pair for pair in scope["headers"] if pair[0] != name]
            scope["headers"] = [*others, (name, found[1].encode())]
            scope["path"] = MCP_PATH
            scope["raw_path"] = MCP_PATH.encode()
        await self._app(scope, receive, send)


def add_session_routes(server: FastMCP, tools: SessionTools) -> None:
    """Add the routes that open, show and close sessions to a server's HTTP application."""

    async def open_session(request: Request) -> Response:
        body = await request.body()
        try:
            arguments: JsonValue = from_json(body or b"{}", allow_inf_nan=False)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return _refused('Send a JSON object such as {"seed": 7} or {"scenario": {...}}.', 400)
        return _respond(tools, "sessions__open", arguments, 201)

    async def show_session(request: Request) -> Response:
        return _respond(tools, "sessions__states", _handle_of(request), 200)

    async def close_session(request: Request) -> Response:
        return _respond(tools, "sessions__close", _handle_of(request), 200)

    server.custom_route("/sessions", methods=["POST"])(open_session)
    server.custom_route("/sessions/{handle}", methods=["GET"])(show_session)
    server.custom_route("/sessions/{handle}", methods=["DELETE"])(close_session)


def _handle_of(request: Request) -> JsonObject:
    return {"session": cast("str", request.path_params["handle"])}


def _respond(tools: SessionTools, tool: str, arguments: JsonObject, status: int) -> Response:
    try:
        return JSONResponse(tools.call(tool, arguments).result, status)
    except EnvironmentFaultError as fault:
        return _refused(fault_sentence(tool, fault), 500)
    except SessionClosedError as error:
        return _refused(str(error), 404)
    except SessionLimitError as error:
        return _refused(str(error), 503)
    except SandboxError as error:
        return _refused(str(error), 400)


def _refused(sentence: str, status: int) -> Response:
    return JSONResponse({"error": sentence}, status)
