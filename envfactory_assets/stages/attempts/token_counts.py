"""Token counts of an attempt: from the client's usage to what rows hold."""

from collections.abc import Iterable

from envfactory_assets.records.attempts import TokenUsage
from envfactory_resources.clients.language_model.errors import (
    LanguageModelError,
    ReplyError,
    RequestError,
)
from envfactory_resources.clients.language_model.usage import Usage


def counted(usages: Iterable[Usage]) -> TokenUsage:
    """Return the sum of some replies' usage."""
    return summed(
        TokenUsage(
            request_count=usage.attempts,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
        )
        for usage in usages
    )


def counted_of(error: LanguageModelError) -> TokenUsage:
    """Return what a reply that is of no use took, or requests that nobody answered."""
    return counted([error.usage] if isinstance(error, (RequestError, ReplyError)) else [])


def with_earlier(usage: Usage, earlier: Iterable[Usage]) -> Usage:
    """Return the usage of a reply and of those that came before it, as one."""
    listed = [usage, *earlier]
    total = counted(listed)
    return Usage(
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cache_read_tokens=total.cache_read_tokens,
        cache_write_tokens=total.cache_write_tokens,
        attempts=total.request_count,
        latency_ms=sum(each.latency_ms for each in listed),
    )


def summed(usages: Iterable[TokenUsage]) -> TokenUsage:
    """Return the sum of several counts."""
    listed = list(usages)
    return TokenUsage(
        request_count=sum(usage.request_count for usage in listed),
        input_tokens=sum(usage.input_tokens for usage in listed),
        output_tokens=sum(usage.output_tokens for usage in listed),
        cache_read_tokens=sum(usage.cache_read_tokens for usage in listed),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in listed),
    )


def all_tokens(usage: TokenUsage) -> int:
    """Return every token in and out, cached or not."""
    return usage.all_input_tokens + usage.output_tokens
