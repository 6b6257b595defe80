import random

import pytest

from envfactory_assets.stages.queries.spoken_values import spoken_value
from sandboxes.core.parameters import Parameter

CITY = Parameter(path="city", name="city", type="string", identifier="CityName", speakable=True)
NOTE = Parameter(path="note", name="note", type="string", examples=("for work", "for fun"))
PRICE = Parameter(path="max_price", name="max_price", type="number", required=False)
DAY = Parameter(path="day", name="day", type="date")


def drawn(parameter, candidates, said=None, times=100):
    rng = random.Random(0)
    return [spoken_value(parameter, candidates, said, rng) for _ in range(times)]


def test_a_place_that_was_said_mostly_stays():
    values = drawn(CITY, ["Oslo", "Lima", "Kyoto"], said="Oslo")

    assert values.count("Oslo") > 80
    assert set(values) == {"Oslo", "Lima", "Kyoto"}


def test_dates_stay_nearly_always():
    assert drawn(DAY, ["2026-05-01", "2026-05-02"], said="2026-05-01").count("2026-05-01") > 95


def test_a_text_is_new_every_time():
    assert set(drawn(NOTE, ["for work", "for fun", ""], said="for work")) == {"for fun", ""}
    assert set(drawn(NOTE, ["for work"], said="for work")) == {"for work"}


@pytest.mark.parametrize(
    ("candidates", "said"),
    [([0.01, 148.45, 150, 17, 7, 0], {150, 7, 15}), ([0.25], {0.25}), ([0], {0})],
)
def test_people_say_round_numbers_and_none_that_says_nothing(candidates, said):
    assert set(drawn(PRICE, candidates)) == said


def test_without_candidates_nothing_is_said():
    assert drawn(CITY, [], times=1) == [None]
