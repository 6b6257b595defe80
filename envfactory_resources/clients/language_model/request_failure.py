"""From the SDK's errors to ours: what failed, without the key, and what to do."""

from typing import TYPE_CHECKING

from envfactory_resources.clients.language_model.errors import (
    AuthenticationRefusedError,
    ModelOverloadedError,
    ModelUnreachableError,
    RateLimitedError,
    RequestError,
    RequestRejectedError,
)
from envfactory_resources.clients.language_model.settings import ConnectionSettings

if TYPE_CHECKING:
    from anthropic import APIError

_MAX_EXCERPT = 300


def request_failure(error: "APIError", settings: ConnectionSettings, *, role: str) -> RequestError:
    """Return our error for one of the SDK's.

    Raise it outside the handler that caught the SDK's error: that one holds the request, whose
    headers hold the key, and must not be chained.

    Args:
        error: What the SDK raised once its retries were used up.
        settings: Where the request went.
        role: Who asked.
    """
    from anthropic import APIStatusError, APITimeoutError

    attempts = int(error.request.headers.get("x-stainless-retry-count", "0")) + 1
    who = (
        f"Role {role!r}: model {settings.model!r} at {settings.endpoint} "
        f"failed after {attempts} {'attempt' if attempts == 1 else 'attempts'}"
    )
    if isinstance(error, APIStatusError):
        kind, advice = _kind_and_advice(error.status_code)
        said = _without_key(error.api_message or str(error.message), settings)
        return kind(
            f"{who} with status {error.status_code}: {said[:_MAX_EXCERPT]}. {advice}",
            role=role,
            status=error.status_code,
            attempts=attempts,
        )
    if isinstance(error, APITimeoutError):
        reason = f"no answer within {settings.timeout_seconds} s. Raise timeout_seconds"
    else:
        reason = f"{_without_key(str(error.__cause__ or error), settings)}. Check base_url"
    return ModelUnreachableError(
        f"{who}: {reason} or see whether the server runs.", role=role, attempts=attempts
    )


def _kind_and_advice(status: int) -> tuple[type[RequestError], str]:
    if status in {401, 403}:
        return AuthenticationRefusedError, "Check api_key and that it may use this model."
    if status == 429:
        return RateLimitedError, "Lower max_concurrency, raise max_retries, or try later."
    if status >= 500:
        return ModelOverloadedError, "Raise max_retries or try later; replies so far are kept."
    if status == 404:
        return RequestRejectedError, "Check the model name and base_url."
    if 300 <= status < 400:
        return RequestRejectedError, "Set base_url to the final address; redirects are not taken."
    return RequestRejectedError, "Correct the request; sending it again gives the same."


def _without_key(text: str, settings: ConnectionSettings) -> str:
    cleaned = text.replace(settings.api_key, "[key]") if settings.api_key else text
    return cleaned.strip().rstrip(".")
