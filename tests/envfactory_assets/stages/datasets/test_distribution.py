import random

import pytest

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.stages.datasets.distribution import MEASURES, chosen_for
from envfactory_assets.stages.datasets.settings import PUBLISHED_CORPUS, DistributionTargets

TURNS, STEPS, CALLS, INTERACTIONS = MEASURES


def task(number, turns=2, calls=4, interactions=0, difficulty="medium"):
    return DatasetTask(
        task_id=f"t{number:05}",
        domain="travel",
        environment_ids=("travel.hotel_booking",),
        split="train",
        kept=True,
        drop_reason=None,
        matched=None,
        similarity=None,
        turns=turns,
        steps=turns + calls + interactions,
        tool_calls=calls,
        user_interactions=interactions,
        tools=("hotel_booking__list_bookings",),
        difficulty=difficulty,
        made_by="by_hand",
    )


@pytest.fixture(scope="module")
def corpus():
    rng = random.Random(5)
    rows = []
    for number in range(600):
        turns = rng.choice((1, 1, 2, 2, 3, 4, 6, 8))
        calls = sum(rng.choice((1, 1, 2, 3, 4)) for _ in range(turns))
        asked = sum(rng.random() < 0.3 for _ in range(turns))
        rows.append(task(number, turns, calls, asked, rng.choice(("easy", "medium", "hard"))))
    return rows


def left(rows, **targets):
    chosen = chosen_for(rows, DistributionTargets(**targets))
    return [row for row in rows if row.task_id in chosen]


def test_averages_come_within_the_tolerance_of_their_targets(corpus):
    rest = left(corpus, turns=5.0, calls_per_turn=2.4, user_interactions_per_turn=0.4)

    assert TURNS.of(rest) == pytest.approx(5.0, rel=0.051)
    assert CALLS.of(rest) == pytest.approx(2.4, rel=0.051)
    assert INTERACTIONS.of(rest) == pytest.approx(0.4, rel=0.051)
    assert len(rest) > 150


def test_shares_of_difficulties_come_within_the_tolerance(corpus):
    rest = left(corpus, difficulty={"easy": 0.2, "hard": 0.6})
    shares = {
        name: sum(row.difficulty == name for row in rest) / len(rest) for name in ("easy", "hard")
    }

    assert shares["easy"] == pytest.approx(0.2, abs=0.051)
    assert shares["hard"] == pytest.approx(0.6, abs=0.051)


def test_no_more_is_left_out_than_it_takes(corpus):
    assert left(corpus, turns=TURNS.of(corpus), steps_per_turn=STEPS.of(corpus)) == corpus


def test_a_target_out_of_reach_leaves_the_least_share():
    rows = [task(number, turns=1 + number % 3) for number in range(100)]
    rest = left(rows, turns=9.0, least_share=0.3)

    assert len(rest) >= 30
    assert TURNS.of(rest) == 3


def test_no_target_leaves_everything(corpus):
    assert left(corpus) == corpus


def test_the_order_of_the_rows_does_not_matter(corpus):
    shuffled = random.Random(2).sample(corpus, len(corpus))

    assert chosen_for(shuffled, PUBLISHED_CORPUS) == chosen_for(corpus, PUBLISHED_CORPUS)


def test_no_rows_are_no_rows():
    assert chosen_for([], PUBLISHED_CORPUS) == set()
