"""Errors of the language model client.

LanguageModelError
├── ModelSettingsError              a configured value cannot work
├── OutputModelError                a structured output that no request can ask for
├── ReplyCacheError                 a paid reply cannot be kept
├── RequestError                    no reply came
│   ├── ModelUnreachableError       no connection, or no answer in time
│   ├── AuthenticationRefusedError  401, 403
│   ├── RateLimitedError            429
│   ├── ModelOverloadedError        529 and other 5xx
│   └── RequestRejectedError        any other status
└── ReplyError                      a reply came and is of no use
    ├── TruncatedReplyError         it stopped at a token limit
    ├── RefusedReplyError           the model declined
    └── MalformedReplyError         it is not what was asked for

Messages name the role, never the key.
"""

from envfactory_resources.clients.language_model.usage import Usage

_NOTHING_USED = Usage(attempts=0)


class LanguageModelError(Exception):
    """Anything the language model client refuses or fails at."""


class ModelSettingsError(LanguageModelError):
    """A configured value cannot work."""


class OutputModelError(LanguageModelError):
    """A structured output whose schema is not an object with fields."""


class ReplyCacheError(LanguageModelError):
    """A reply cannot be written to the cache folder."""


class RequestError(LanguageModelError):
    """No reply came."""

    def __init__(
        self, message: str, *, role: str = "", status: int | None = None, attempts: int = 0
    ) -> None:
        """Keep what a caller may want to count by.

        Args:
            message: What happened and what to do.
            role: The role that asked.
            status: The HTTP status, if there was an answer.
            attempts: How many requests were sent.
        """
        super().__init__(message)
        self.role = role
        self.status = status
        self.usage = Usage(attempts=attempts)


class ModelUnreachableError(RequestError):
    """No connection, or no answer in time."""


class AuthenticationRefusedError(RequestError):
    """The endpoint does not accept the key."""


class RateLimitedError(RequestError):
    """The endpoint asked for fewer requests, to the last attempt."""


class ModelOverloadedError(RequestError):
    """The endpoint failed or was overloaded, to the last attempt."""


class RequestRejectedError(RequestError):
    """The endpoint does not accept the request."""


class ReplyError(LanguageModelError):
    """A reply came and is of no use; it is not cached."""

    def __init__(self, message: str, *, role: str = "", usage: Usage = _NOTHING_USED) -> None:
        """Keep what a caller may want to count by.

        Args:
            message: What happened and what to do.
            role: The role that asked.
            usage: What the useless reply cost.
        """
        super().__init__(message)
        self.role = role
        self.usage = usage


class TruncatedReplyError(ReplyError):
    """The reply stopped at a token limit."""


class RefusedReplyError(ReplyError):
    """The model declined to answer."""


class MalformedReplyError(ReplyError):
    """The reply is not what was asked for."""
