import pytest

from envfactory_assets.stages.reward.length import format_penalty, length_penalty
from envfactory_assets.stages.reward.models import AttemptedCall
from envfactory_assets.stages.reward.settings import RewardSettings

SETTINGS = RewardSettings(free_calls=1, redundant_call_cost=0.05, length_cap=0.6)
FINE = AttemptedCall("look", {"hotel_id": "HT-1"}, {"hotel_id": "HT-1"}, True, "read")
REFUSED = AttemptedCall("look", {"hotel_id": "HT-9"}, None, False, "read", "No such hotel.")
OTHER_REFUSED = AttemptedCall("look", {"hotel_id": "HT-8"}, None, False, "read", "No such hotel.")


def penalty(*calls):
    return length_penalty(calls, range(len(calls)), SETTINGS)


def test_the_first_redundant_call_is_free_and_each_further_one_costs():
    costs = [penalty(*[FINE] * count) for count in range(4)]
    assert costs == pytest.approx([0.0, 0.0, 0.05, 0.1])


def test_the_penalty_is_capped():
    assert penalty(*[FINE] * 500) == 0.6


def test_a_refused_call_that_is_repeated_counts_twice():
    assert penalty(REFUSED, OTHER_REFUSED) == pytest.approx(0.05)
    assert penalty(REFUSED, REFUSED) == pytest.approx(0.1)


def test_calls_that_stand_for_a_reference_call_are_not_redundant():
    assert length_penalty([FINE] * 9, [], SETTINGS) == 0.0


def test_malformed_calls_are_capped_apart():
    assert format_penalty(0, SETTINGS) == 0.0
    assert format_penalty(2, SETTINGS) == pytest.approx(0.1)
    assert format_penalty(99, SETTINGS) == SETTINGS.format_cap
