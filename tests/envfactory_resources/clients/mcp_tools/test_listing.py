import socket
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from fastmcp import FastMCP
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse

from envfactory_resources.clients.mcp_tools.errors import (
    McpAddressError,
    McpTimeoutError,
    McpUnavailableError,
)
from envfactory_resources.clients.mcp_tools.listing import list_tools

NOTES = [sys.executable, str(Path(__file__).parent / "servers" / "notes.py")]


class RequireToken:
    """Answers 401 to every request that lacks the token."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        headers = dict(scope.get("headers", []))
        if scope["type"] == "http" and headers.get(b"x-token") != b"letmein":
            await PlainTextResponse("no", status_code=401)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


@contextmanager
def served(server: FastMCP, middleware=()):
    """Serve on a free loopback port, in a thread; yields the URL."""
    listening = socket.create_server(("127.0.0.1", 0))
    app = server.http_app(middleware=list(middleware))
    runner = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", ws="none"))
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        runner.should_exit = True
        thread.join()
        listening.close()


def shop() -> FastMCP:
    server = FastMCP("shop")

    @server.tool
    def list_items(limit: int = 10) -> list[str]:
        """List the items."""
        return []

    return server


def test_a_command_is_started_and_its_tools_come_back_as_a_document():
    document = list_tools(command=NOTES)

    assert document["serverInfo"]["name"] == "notes"
    assert document["instructions"] == "Keeps short notes."
    note = document["tools"][0]
    assert note["name"] == "get_note"
    assert note["description"] == "Return one note."
    assert note["inputSchema"]["required"] == ["note_id"]
    assert note["annotations"]["readOnlyHint"] is True


def test_a_started_server_sees_only_the_variables_it_is_given(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")

    document = list_tools(command=NOTES, variables={"NOTES_FOLDER": "somewhere"})

    seen = document["tools"][1]["description"].split(",")
    assert "NOTES_FOLDER" in seen
    assert "ANTHROPIC_API_KEY" not in seen


def test_a_server_is_asked_over_http():
    with served(shop()) as url:
        document = list_tools(url=url)

    assert [tool["name"] for tool in document["tools"]] == ["list_items"]


def test_headers_reach_a_server_that_wants_them():
    with served(shop(), [Middleware(RequireToken)]) as url:
        document = list_tools(url=url, headers={"X-Token": "letmein"})
        with pytest.raises(McpUnavailableError, match="error response"):
            list_tools(url=url)

    assert len(document["tools"]) == 1


def test_a_server_that_says_nothing_is_given_up():
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]

    with pytest.raises(McpTimeoutError, match=r"within 0\.5 seconds"):
        list_tools(command=silent, timeout_seconds=0.5)


def test_a_server_that_dies_is_reported_with_its_last_words():
    dying = [sys.executable, "-c", "raise SystemExit('no such folder')"]

    with pytest.raises(McpUnavailableError, match="its last words: no such folder"):
        list_tools(command=dying)


def test_a_url_where_nobody_listens_is_reported():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(McpUnavailableError, match="does not list its tools"):
        list_tools(url=f"http://127.0.0.1:{port}/mcp")


def test_an_unknown_program_is_named():
    with pytest.raises(McpUnavailableError, match="'no-such-program' is not found"):
        list_tools(command=["no-such-program"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Give a command or a URL"),
        ({"command": ["x"], "url": "http://x"}, "Give a command or a URL"),
        ({"url": "ftp://x"}, "must begin with http"),
    ],
)
def test_an_address_must_be_one_command_or_one_url(arguments, message):
    with pytest.raises(McpAddressError, match=message):
        list_tools(**arguments)
