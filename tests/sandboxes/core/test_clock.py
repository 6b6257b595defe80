import pytest
from pydantic import TypeAdapter, ValidationError

from sandboxes.core.clock import (
    Clock,
    Day,
    Moment,
    add_days,
    add_minutes,
    created_ids,
    days_between,
    minutes_between,
)


def test_ids_count_up_for_each_prefix_from_where_the_state_stands() -> None:
    clock = Clock(now="2026-03-02T09:00", counters={"BK": 4})
    assert [clock.next_id("BK"), clock.next_id("BK"), clock.next_id("RV")] == [
        "BK-5",
        "BK-6",
        "RV-1",
    ]
    assert clock.counters == {"BK": 6, "RV": 1}


def test_created_ids_are_those_given_out_between_two_clocks() -> None:
    before = Clock(now="2026-03-02T09:00", counters={"BK": 9})
    after = Clock(now="2026-03-02T09:00", counters={"BK": 11, "AA": 1})
    assert created_ids(before, after) == ["AA-1", "BK-10", "BK-11"]


@pytest.mark.parametrize("text", ["2026-3-2", "2026-02-30", "20260302", "2026-03-02T09:00", ""])
def test_a_day_that_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="must be a date like 2026-03-02"):
        TypeAdapter(Day).validate_python(text)


@pytest.mark.parametrize(
    "text", ["2026-03-02", "2026-03-02 09:00", "2026-03-02T09:00:00", "2026-03-02T09:00Z"]
)
def test_a_moment_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="must be a local time like"):
        TypeAdapter(Moment).validate_python(text)


def test_days_and_minutes_cross_months_and_midnight() -> None:
    assert add_days("2028-02-28", 2) == "2028-03-01"
    assert days_between("2026-03-01", "2026-02-27") == -2
    assert add_minutes("2026-12-31T23:45", 30) == "2027-01-01T00:15"
    assert minutes_between("2026-12-31T23:45", "2027-01-01T00:15") == 30
