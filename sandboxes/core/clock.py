"""Time and ids of a session: both live in the state, so that a replay is exact.

Days (`2026-03-02`) and moments (`2026-03-02T14:30`, local time) are text: they sort, they need no
parsing on the hot path, and canonical JSON keeps them as they are.
"""

from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_KNOWN_TEXTS = 4_096  # Loading a state checks the same few days and moments again and again.


@lru_cache(maxsize=_KNOWN_TEXTS)
def _check_day(text: str) -> str:
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        parsed = None
    if parsed is None or parsed.isoformat() != text:
        raise ValueError("must be a date like 2026-03-02")
    return text


@lru_cache(maxsize=_KNOWN_TEXTS)
def _check_moment(text: str) -> str:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is not None or parsed.isoformat(timespec="minutes") != text:
        raise ValueError("must be a local time like 2026-03-02T14:30")
    return text


Day = Annotated[
    str,
    AfterValidator(_check_day),
    Field(json_schema_extra={"format": "date"}),
]
Moment = Annotated[
    str,
    AfterValidator(_check_moment),
    Field(json_schema_extra={"format": "date-time"}),
]


def add_days(day: str, count: int) -> str:
    """Return the day `count` days after `day` (before, when negative)."""
    return (date.fromisoformat(day) + timedelta(days=count)).isoformat()


def days_between(first: str, second: str) -> int:
    """Return how many days `second` lies after `first`."""
    return (date.fromisoformat(second) - date.fromisoformat(first)).days


def add_minutes(moment: str, count: int) -> str:
    """Return the moment `count` minutes after `moment` (before, when negative)."""
    return (datetime.fromisoformat(moment) + timedelta(minutes=count)).isoformat(timespec="minutes")


def minutes_between(first: str, second: str) -> int:
    """Return how many minutes `second` lies after `first`."""
    delta = datetime.fromisoformat(second) - datetime.fromisoformat(first)
    return int(delta.total_seconds() // 60)


def day_of(moment: str) -> str:
    """Return the day of a moment."""
    return moment[:10]


class Clock(BaseModel):
    """The session's clock and id counters, as part of every environment state.

    Attributes:
        now: The moment the session stands at; it moves only when the session advances it.
        counters: The last number given out for each id prefix.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    now: Moment
    counters: dict[str, int] = Field(default_factory=dict)

    def next_id(self, prefix: str) -> str:
        """Give out the next id of a prefix, `BK-12`: the same session gives the same ids."""
        number = self.counters.get(prefix, 0) + 1
        self.counters[prefix] = number
        return f"{prefix}-{number}"

    @property
    def today(self) -> str:
        """The day the session stands at."""
        return day_of(self.now)


def created_ids(before: Clock, after: Clock) -> list[str]:
    """Return the ids given out between two clocks of one environment, in order of number."""
    return [
        f"{prefix}-{number}"
        for prefix in sorted(after.counters)
        for number in range(before.counters.get(prefix, 0) + 1, after.counters[prefix] + 1)
    ]
