"""From a scripted reply to the HTTP response of a Messages endpoint."""

import json
import threading
from dataclasses import dataclass, field

from pydantic import JsonValue

from envfactory_resources.clients.fake_messages.errors import UnscriptedRequestError
from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    FakeReply,
    RawReply,
    RefusalReply,
    SlowReply,
    StructuredReply,
    TextReply,
    ToolCallsReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.requests import ReceivedRequest
from envfactory_resources.clients.language_model.reply import JsonObject

_CHARACTERS_PER_TOKEN = 4

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class HttpResponse:
    """What goes over the wire."""

    status: int
    body: str
    headers: dict[str, str] = field(default_factory=dict[str, str])


class WireReplies:
    """Renders replies; remembers cached prefixes to count tokens as the real endpoint does."""

    def __init__(self, closing: threading.Event) -> None:
        """Start with an empty prompt cache.

        Args:
            closing: Ends the wait of slow replies.
        """
        self._closing = closing
        self._cached_prefixes: set[str] = set()
        self._lock = threading.Lock()

    def render(self, reply: FakeReply, request: ReceivedRequest) -> HttpResponse:
        """Return the response that carries a reply.

        Raises:
            UnscriptedRequestError: If the reply does not go with the request.
        """
        match reply:
            case SlowReply():
                self._closing.wait(reply.delay_seconds)
                return self.render(reply.reply, request)
            case RawReply():
                return HttpResponse(200, reply.body, {"content-type": reply.content_type})
            case ErrorReply():
                return error_response(reply.status, reply.message, reply.retry_after_seconds)
            case TextReply():
                return self._message(request, [_text(reply.text)], "end_turn")
            case TruncatedReply():
                return self._message(request, [_text(reply.text)], "max_tokens")
            case RefusalReply():
                return self._message(request, [], "refusal")
            case ToolCallsReply():
                return self._message(request, _calls(reply, request), "tool_use")
            case StructuredReply():
                return self._structured(reply, request)

    def _structured(self, reply: StructuredReply, request: ReceivedRequest) -> HttpResponse:
        value = dict(reply.value)
        if request.asks_native_output:
            return self._message(request, [_text(json.dumps(value))], "end_turn")
        if request.forced_tool is None:
            raise UnscriptedRequestError(
                f"The script has a StructuredReply for request {request.number} of role "
                f"{request.role!r}, which asks for no structured output. Use a TextReply."
            )
        call = ToolCallsReply([(request.forced_tool, value)])
        return self._message(request, _calls(call, request), "tool_use")

    def _message(
        self, request: ReceivedRequest, content: list[JsonValue], stop_reason: str
    ) -> HttpResponse:
        message: JsonObject = {
            "id": f"msg_{request.number}",
            "type": "message",
            "role": "assistant",
            "model": request.body["model"],
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": self._usage(request, content),
        }
        return HttpResponse(200, json.dumps(message))

    def _usage(self, request: ReceivedRequest, content: list[JsonValue]) -> JsonObject:
        spoken_tokens = _token_count(request.messages)
        prefix = json.dumps([request.body.get("tools"), request.body.get("system")])
        prefix_tokens = len(prefix) // _CHARACTERS_PER_TOKEN
        usage: JsonObject = {
            "input_tokens": spoken_tokens,
            "output_tokens": _token_count(content),
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        }
        if "cache_control" not in prefix:
            return {**usage, "input_tokens": spoken_tokens + prefix_tokens}
        with self._lock:
            was_read = prefix in self._cached_prefixes
            self._cached_prefixes.add(prefix)
        kind = "cache_read_input_tokens" if was_read else "cache_creation_input_tokens"
        return {**usage, kind: prefix_tokens}


def error_response(
    status: int, message: str, retry_after_seconds: float | None = None
) -> HttpResponse:
    """Return an error in the shape of the real endpoint's."""
    error: JsonObject = {"type": _ERROR_TYPES.get(status, "api_error"), "message": message}
    headers: dict[str, str] = {}
    if retry_after_seconds is not None:
        # The first is what servers send; the second can say less than a second.
        headers = {
            "retry-after": str(int(retry_after_seconds)),
            "retry-after-ms": str(retry_after_seconds * 1000),
        }
    return HttpResponse(status, json.dumps({"type": "error", "error": error}), headers)


def _text(text: str) -> JsonValue:
    return {"type": "text", "text": text}


def _calls(reply: ToolCallsReply, request: ReceivedRequest) -> list[JsonValue]:
    calls: list[JsonValue] = [
        {
            "type": "tool_use",
            "id": f"toolu_{request.number}_{index}",
            "name": name,
            "input": dict(arguments),
        }
        for index, (name, arguments) in enumerate(reply.calls, 1)
    ]
    return [_text(reply.text), *calls] if reply.text else calls


def _token_count(value: object) -> int:
    return max(1, len(json.dumps(value)) // _CHARACTERS_PER_TOKEN)
