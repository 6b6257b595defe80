"""What a line of a script can answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue


@dataclass(frozen=True)
class TextReply:
    """A text."""

    text: str


@dataclass(frozen=True)
class ToolCallsReply:
    """One or more tool calls in one message, after a text where there is one."""

    calls: Sequence[tuple[str, Mapping[str, JsonValue]]]
    text: str = ""


@dataclass(frozen=True)
class StructuredReply:
    """A structured output, in whichever way the request asks for it; it need not fit."""

    value: Mapping[str, JsonValue]


@dataclass(frozen=True)
class TruncatedReply:
    """A text that stops at max_tokens."""

    text: str = "And then"


@dataclass(frozen=True)
class RefusalReply:
    """A refusal to answer."""


@dataclass(frozen=True)
class ErrorReply:
    """An HTTP error: 429 and 529 are retried by the client, 400 is not."""

    status: int
    message: str = "scripted error"
    retry_after_seconds: float | None = 0.001
    """How long the client is told to wait; None leaves it to the client."""


@dataclass(frozen=True)
class RawReply:
    """Any body with status 200, say broken JSON or a web page."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class SlowReply:
    """Another reply after a while; closing the fake ends the wait."""

    reply: "FakeReply"
    delay_seconds: float


FakeReply: TypeAlias = (
    TextReply
    | ToolCallsReply
    | StructuredReply
    | TruncatedReply
    | RefusalReply
    | ErrorReply
    | RawReply
    | SlowReply
)
