"""The HTTP server that plays a script."""

import json
import socket
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from pydantic import JsonValue

from envfactory_resources.clients.fake_messages.errors import (
    RequestShapeError,
    UnscriptedRequestError,
)
from envfactory_resources.clients.fake_messages.request_shape import check_request
from envfactory_resources.clients.fake_messages.requests import ReceivedRequest
from envfactory_resources.clients.fake_messages.script import Script, ScriptLine
from envfactory_resources.clients.fake_messages.wire_reply import (
    HttpResponse,
    WireReplies,
    error_response,
)

_PATH = "/v1/messages"
_SHUTDOWN_POLL_SECONDS = 0.01


class FakeMessages:
    """A Messages endpoint on a free loopback port, open inside a `with` block.

    A request that the real endpoint would not take, or that no line answers, gets status 400, so
    that the asking client fails with the reason.
    """

    def __init__(self, script: Sequence[ScriptLine], *, api_key: str | None = None) -> None:
        """Prepare a script; the port opens on entering the block.

        Args:
            script: The first line that answers a request and is not used up is played.
            api_key: The key to insist on; None takes any, and none.
        """
        self.requests: list[ReceivedRequest] = []
        self._api_key = api_key
        self._script = Script(script)
        self._closing = threading.Event()
        self._wire = WireReplies(self._closing)
        self._lock = threading.Lock()
        self._server: _Server | None = None

    @property
    def url(self) -> str:
        """The base URL for a client."""
        if self._server is None:
            raise RuntimeError(
                "FakeMessages is not open; use its url inside `with FakeMessages(…)`."
            )
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def unplayed(self) -> list[ScriptLine]:
        """The lines that have not answered as often as they must."""
        return self._script.unplayed()

    def __enter__(self) -> Self:
        """Open the port and answer requests in a thread."""
        self._closing.clear()
        self._server = _Server(self)
        threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": _SHUTDOWN_POLL_SECONDS},
            name="fake-messages",
            daemon=True,
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the port; slow replies end at once."""
        self._closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def respond(self, path: str, headers: dict[str, str], body: bytes) -> HttpResponse:
        """Return the response to one HTTP request.

        Args:
            path: The path of the request.
            headers: By lower-case name.
            body: The body as it came.
        """
        if path != _PATH:
            return error_response(404, f"{path} is not served, only {_PATH}")
        if not _names_key(headers, self._api_key):
            return error_response(401, "invalid x-api-key")
        try:
            request = self._receive(headers, body)
            return self._wire.render(self._script.play(request), request)
        except (RequestShapeError, UnscriptedRequestError) as error:
            return error_response(400, str(error))

    def _receive(self, headers: dict[str, str], body: bytes) -> ReceivedRequest:
        if "anthropic-version" not in headers:
            raise RequestShapeError("anthropic-version: header is required")
        try:
            parsed: JsonValue = json.loads(body)
        except ValueError as error:
            raise RequestShapeError("body: not valid JSON") from error
        checked = check_request(parsed)
        with self._lock:
            request = ReceivedRequest(len(self.requests) + 1, headers, checked)
            self.requests.append(request)
        return request


class _Server(ThreadingHTTPServer):
    # Hundreds of clients connect at the same moment; the default of 5 would drop most of them.
    request_queue_size = 1024

    def __init__(self, fake: FakeMessages) -> None:
        super().__init__(("127.0.0.1", 0), _handler_for(fake))

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        # A client that gave up on a slow reply is no fault of the fake.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler_for(fake: FakeMessages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", "0")))
            response = fake.respond(self.path, headers, body)
            payload = response.body.encode()
            self.send_response(response.status)
            for name, value in {"content-type": "application/json", **response.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            # Requests are kept for assertions; a line each on stderr helps nobody.
            del code, size

    return Handler


def _names_key(headers: dict[str, str], api_key: str | None) -> bool:
    if api_key is None:
        return True
    return (
        headers.get("x-api-key") == api_key or headers.get("authorization") == f"Bearer {api_key}"
    )
