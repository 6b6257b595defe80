"""Whether a reply is whole: a truncated or refused one is an error, not a short answer."""

from envfactory_resources.clients.language_model.errors import (
    RefusedReplyError,
    TruncatedReplyError,
)
from envfactory_resources.clients.language_model.reply import Reply


def check_complete(reply: Reply, *, role: str, max_tokens: int) -> None:
    """Raise unless the model came to an end of its own.

    Args:
        reply: What came.
        role: Who asked.
        max_tokens: The limit that was set.

    Raises:
        TruncatedReplyError: If a token limit cut it short.
        RefusedReplyError: If the model declined.
    """
    match reply.stop_reason:
        case "max_tokens":
            raise TruncatedReplyError(
                f"Role {role!r}: the reply was cut off at max_tokens={max_tokens}. Raise "
                "max_tokens or ask for less.",
                role=role,
                usage=reply.usage,
            )
        case "model_context_window_exceeded":
            raise TruncatedReplyError(
                f"Role {role!r}: the conversation no longer fits the context window of "
                f"{reply.model!r}. Shorten it or use a model with a longer one.",
                role=role,
                usage=reply.usage,
            )
        case "refusal":
            raise RefusedReplyError(
                f"Role {role!r}: model {reply.model!r} declined to answer. Reword the prompt or "
                "use another model for this role.",
                role=role,
                usage=reply.usage,
            )
        case _:
            pass
