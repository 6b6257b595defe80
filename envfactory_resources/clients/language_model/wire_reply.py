"""Reading what an endpoint answered; compatible servers leave fields out or add some."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envfactory_resources.clients.language_model.errors import MalformedReplyError
from envfactory_resources.clients.language_model.reply import JsonObject, Reply, StopReason
from envfactory_resources.clients.language_model.usage import Usage

_MAX_EXCERPT = 200


class _WireUsage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _WireMessage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str
    content: tuple[JsonObject, ...]
    stop_reason: StopReason
    usage: _WireUsage = Field(default_factory=_WireUsage)


def read_reply(body: str, *, role: str, attempts: int, latency_ms: float) -> Reply:
    """Return the reply in the body of a successful response.

    Args:
        body: The body as it came.
        role: Who asked.
        attempts: How many requests were sent.
        latency_ms: How long it took, retries included.

    Raises:
        MalformedReplyError: If the body is no Messages reply.
    """
    unread = Usage(attempts=attempts, latency_ms=latency_ms)
    try:
        message = _WireMessage.model_validate_json(body)
        reply = Reply(
            model=message.model,
            content=message.content,
            stop_reason=message.stop_reason,
            usage=_usage(message.usage, unread),
        )
        # Read once here, so that a broken tool call is found before anybody relies on it.
        _ = reply.requested_calls
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise MalformedReplyError(
            f"Role {role!r}: the endpoint answered with something that is no Messages reply "
            f"({'.'.join(map(str, fault['loc'])) or 'body'}: {fault['msg']}): "
            f"{body[:_MAX_EXCERPT]!r}. Check that base_url is a server with a /v1/messages "
            "endpoint.",
            role=role,
            usage=unread,
        ) from error
    return reply


def _usage(wire: _WireUsage, unread: Usage) -> Usage:
    return Usage(
        input_tokens=wire.input_tokens,
        output_tokens=wire.output_tokens,
        cache_read_tokens=wire.cache_read_input_tokens or 0,
        cache_write_tokens=wire.cache_creation_input_tokens or 0,
        attempts=unread.attempts,
        latency_ms=unread.latency_ms,
    )
