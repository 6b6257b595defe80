"""One endpoint reached through the `anthropic` SDK, kept apart from the process environment.

The SDK retries and honours `retry-after`. It would also take credentials, addresses and headers
from environment variables and from profiles in the home folder: here a key is always given, and
headers that the environment adds are dropped before sending. What it says of load, every thread
of this process hears (`pace`).
"""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from envfactory_resources.clients.language_model.pace import Pace
from envfactory_resources.clients.language_model.reply import Reply
from envfactory_resources.clients.language_model.request import ModelRequest, PromptCache
from envfactory_resources.clients.language_model.request_failure import request_failure
from envfactory_resources.clients.language_model.settings import ConnectionSettings
from envfactory_resources.clients.language_model.wire_reply import read_reply
from envfactory_resources.clients.language_model.wire_request import ROLE_HEADER, send

if TYPE_CHECKING:
    import httpx2
    from anthropic import Anthropic

_OWN_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "connection",
        "content-length",
        "content-type",
        "host",
        "idempotency-key",
        ROLE_HEADER,
        "user-agent",
    }
)
_SDK_HEADER_PREFIX = "x-stainless-"
_ANTHROPIC_URL = "https://api.anthropic.com"
_CONNECT_SECONDS = 10.0
_OVERLOADED = frozenset({429, 503, 529})
_SENT_AT = "sent_at"


class Connection:
    """Sends requests; the SDK is imported and the client made at the first one."""

    def __init__(self, settings: ConnectionSettings) -> None:
        """Configure a connection; nothing is opened yet.

        Args:
            settings: Where to send requests, and with what.
        """
        self._settings = settings
        self._lock = threading.Lock()
        self._client: Anthropic | None = None
        self._pace = Pace()

    def ask(self, request: ModelRequest, *, role: str, prompt_cache: PromptCache) -> Reply:
        """Send a request and return the reply, complete or not.

        Args:
            request: What to ask.
            role: Who asks.
            prompt_cache: What the endpoint's prompt cache may keep.

        Raises:
            RequestError: If no reply came.
            MalformedReplyError: If what came is no Messages reply.
        """
        client = self._open()
        from anthropic import APIError

        started = time.perf_counter()
        try:
            response = send(client, request, role=role, prompt_cache=prompt_cache)
        except APIError as error:
            failure = request_failure(error, self._settings, role=role)
        else:
            return read_reply(
                response.text(),
                role=role,
                attempts=response.retries_taken + 1,
                latency_ms=round((time.perf_counter() - started) * 1000, 3),
            )
        # Raised here and not in the handler: the SDK's error holds the key and is not chained.
        raise failure

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _open(self) -> "Anthropic":
        with self._lock:
            if self._client is None:
                self._client = self._new_client()
            return self._client

    def _new_client(self) -> "Anthropic":
        import httpx2
        from anthropic import Anthropic, DefaultHttpxClient

        timeout_seconds = self._settings.timeout_seconds
        timeout = httpx2.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds))
        return Anthropic(
            # Without a key of ours the SDK would go and look for one; _set_headers drops this one.
            api_key=self._settings.api_key or "none",
            base_url=self._settings.base_url or _ANTHROPIC_URL,
            max_retries=self._settings.max_retries,
            timeout=timeout,
            open_telemetry=False,
            http_client=DefaultHttpxClient(
                timeout=timeout,
                # A redirect would carry the key to another host.
                follow_redirects=False,
                # A proxy is a fact of the network; it must not come between us and this machine.
                trust_env=not self._settings.is_on_this_machine,
                event_hooks={
                    "request": [self._set_headers, self._await_turn],
                    "response": [self._heed_load],
                },
            ),
        )

    def _set_headers(self, request: "httpx2.Request") -> None:
        for name in list(request.headers):
            if name not in _OWN_HEADERS and not name.startswith(_SDK_HEADER_PREFIX):
                del request.headers[name]
        if self._settings.api_key:
            request.headers["authorization"] = f"Bearer {self._settings.api_key}"
            # Compatible servers read the one or the other.
            if self._settings.base_url is not None:
                request.headers["x-api-key"] = self._settings.api_key

    def _await_turn(self, request: "httpx2.Request") -> None:
        request.extensions[_SENT_AT] = self._pace.wait()

    def _heed_load(self, response: "httpx2.Response") -> None:
        if response.status_code in _OVERLOADED:
            sent_at = float(response.request.extensions.get(_SENT_AT, 0.0))
            self._pace.slow_down(sent_at, _asked_pause_seconds(response.headers))
        elif response.is_success:
            self._pace.speed_up()


def _asked_pause_seconds(headers: Mapping[str, str]) -> float:
    """Return how long an endpoint asks to wait; nothing where it does not say, or says a date."""
    for name, unit_seconds in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            return max(0.0, float(headers.get(name, "")) * unit_seconds)
    return 0.0
