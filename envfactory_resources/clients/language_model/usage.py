"""What replies cost: one call's usage, and the ledger that adds it up by role."""

import threading

from pydantic import BaseModel, ConfigDict


class Usage(BaseModel):
    """What one reply took. Read from the cache it is what the reply took when it was made.

    So every value but `from_cache` is the same in a rerun.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    input_tokens: int = 0
    """Input tokens at full price; those below come on top."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    """Input tokens that the endpoint's prompt cache served."""
    cache_write_tokens: int = 0
    attempts: int = 1
    latency_ms: float = 0.0
    from_cache: bool = False


class TokenPrices(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    input_usd: float
    output_usd: float
    cache_read_usd: float = 0.0
    cache_write_usd: float = 0.0


class RoleUsage(BaseModel):
    """What one role has used so far; token counts leave out replies read from the cache."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    call_count: int = 0
    cached_call_count: int = 0
    failed_call_count: int = 0
    attempt_count: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    latency_ms: float = 0.0

    def plus(self, usage: Usage, *, failed: bool) -> "RoleUsage":
        """Return the sum with one more call."""
        if usage.from_cache:
            return self.model_copy(
                update={
                    "call_count": self.call_count + 1,
                    "cached_call_count": self.cached_call_count + 1,
                }
            )
        return RoleUsage(
            call_count=self.call_count + 1,
            cached_call_count=self.cached_call_count,
            failed_call_count=self.failed_call_count + failed,
            attempt_count=self.attempt_count + usage.attempts,
            input_tokens=self.input_tokens + usage.input_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
            cache_read_tokens=self.cache_read_tokens + usage.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + usage.cache_write_tokens,
            latency_ms=self.latency_ms + usage.latency_ms,
        )

    def cost_usd(self, prices: TokenPrices) -> float:
        """Return what the counted tokens cost."""
        return (
            self.input_tokens * prices.input_usd
            + self.output_tokens * prices.output_usd
            + self.cache_read_tokens * prices.cache_read_usd
            + self.cache_write_tokens * prices.cache_write_usd
        ) / 1_000_000


class UsageLedger:
    """Adds up usage by role; may be shared by threads."""

    def __init__(self, prices: TokenPrices | None = None) -> None:
        """Open an empty ledger.

        Args:
            prices: Needed for `cost_usd` only.
        """
        self._prices = prices
        self._by_role: dict[str, RoleUsage] = {}
        self._lock = threading.Lock()

    def record(self, role: str, usage: Usage, *, failed: bool = False) -> None:
        """Add one call, useless replies and failed requests included."""
        with self._lock:
            before = self._by_role.get(role, RoleUsage())
            self._by_role[role] = before.plus(usage, failed=failed)

    def by_role(self) -> dict[str, RoleUsage]:
        """Return the sums so far, roles in alphabetical order."""
        with self._lock:
            return dict(sorted(self._by_role.items()))

    def cost_usd(self) -> float | None:
        """Return what all roles cost together, or None where no prices are configured."""
        if self._prices is None:
            return None
        return sum(role_usage.cost_usd(self._prices) for role_usage in self.by_role().values())
