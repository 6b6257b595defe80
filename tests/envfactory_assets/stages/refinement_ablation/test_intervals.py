import pytest

from envfactory_assets.stages.refinement_ablation.intervals import mean_over_turns, wilson


def test_the_interval_of_a_share_is_wilsons():
    """The published example of 10 in 20, to three digits."""
    assert wilson(10, 20) == pytest.approx((0.299, 0.701), abs=0.001)
    assert wilson(0, 20) == pytest.approx((0.0, 0.161), abs=0.001)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_interval_of_a_mean_holds_the_mean_and_is_the_same_every_time():
    sums, turns = [1.0, 4.0, 2.0, 0.0, 3.0] * 8, [1, 3, 2, 1, 2] * 8
    low, high = mean_over_turns(sums, turns, seed=0)

    assert low < sum(sums) / sum(turns) < high
    assert (low, high) == mean_over_turns(sums, turns, seed=0)


def test_more_tasks_make_it_narrower():
    sums, turns = [1.0, 4.0, 2.0, 0.0, 3.0], [1, 3, 2, 1, 2]
    few = mean_over_turns(sums * 4, turns * 4, seed=0)
    many = mean_over_turns(sums * 40, turns * 40, seed=0)

    assert many[1] - many[0] < few[1] - few[0]
