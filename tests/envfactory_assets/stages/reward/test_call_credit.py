import pytest

from envfactory_assets.stages.reward.call_credit import (
    bound_arguments,
    partial_credit,
    wrong_arguments,
)
from envfactory_assets.stages.reward.models import AttemptedCall, ReferenceCall

READ = ReferenceCall("search", {"city": "Paris", "stars": 3, "limit": 10}, "read")
WRITE = ReferenceCall("book", {"hotel_id": "HT-1", "guest": "Bo", "nights": 2}, "write")


def call(given, **defaults):
    return AttemptedCall("any", given, {**defaults, **given}, True, "read")


def credit(reference, attempted):
    wrong = wrong_arguments(reference, bound_arguments(attempted))
    return partial_credit(reference, attempted, wrong, 0.5)


def test_a_default_given_is_a_default_omitted():
    given = call({"city": "paris", "stars": 3}, limit=10)
    assert wrong_arguments(READ, bound_arguments(given)) == []


def test_a_masked_argument_may_hold_anything_or_nothing():
    masked = ReferenceCall("search", READ.arguments, "read", masked=("city", "limit"))
    assert wrong_arguments(masked, {"city": "Rome", "stars": 3}) == []


def test_an_argument_that_validation_dropped_still_counts_as_wrong():
    lenient = AttemptedCall("search", {"city": "Paris", "vip": 1}, {"city": "Paris"}, True, "read")
    reference = ReferenceCall("search", {"city": "Paris"}, "read")
    assert wrong_arguments(reference, bound_arguments(lenient)) == ["vip"]


def test_defaults_that_were_not_given_earn_nothing():
    assert credit(READ, call({"city": "Rome"}, stars=3, limit=10)) == 0.0


def test_right_arguments_earn_their_share_below_the_cap():
    assert credit(READ, call({"city": "Paris", "stars": 5}, limit=10)) == 0.25
    assert credit(READ, call({"city": "Paris", "stars": 3, "limit": 9})) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "reference",
    [
        WRITE,
        ReferenceCall("pay", {"account_id": "x", "guest": "Bo", "nights": 2}, "write"),
        ReferenceCall("pay", {"rooms": ["HT-1"], "guest": "Bo", "nights": 2}, "write"),
        ReferenceCall("pay", {"to": "a@b.c", "nights": 2}, "write", identifiers=("to",)),
    ],
)
def test_a_write_on_the_wrong_thing_earns_nothing(reference):
    name = next(iter(reference.arguments))
    given = call({**reference.arguments, name: "HT-2"})
    assert wrong_arguments(reference, bound_arguments(given)) == [name]
    assert credit(reference, given) == 0.0


def test_a_write_with_a_wrong_detail_earns_a_part():
    assert credit(WRITE, call({**WRITE.arguments, "nights": 3})) == pytest.approx(1 / 3)


def test_a_read_of_the_wrong_thing_earns_its_other_arguments_alone():
    reference = ReferenceCall("look", {"hotel_id": "HT-1", "day": "2026-03-02"}, "read")
    assert credit(reference, call({"hotel_id": "HT-2", "day": "2026-03-02"})) == 0.25
    assert credit(reference, call({"hotel_id": "HT-2", "day": "2026-03-03"})) == 0.0
