from itertools import combinations
from statistics import fmean

import pytest

from envfactory_assets.stages.evaluation.pass_at_k import pass_at_k


@pytest.mark.parametrize("solved", range(6))
@pytest.mark.parametrize("k", range(1, 6))
def test_it_is_the_share_of_all_choices_of_k_that_hold_a_solved_one(solved, k):
    attempts = [True] * solved + [False] * (5 - solved)
    every = fmean(any(chosen) for chosen in combinations(attempts, k))

    assert pass_at_k(5, solved, k) == pytest.approx(every)


def test_fewer_attempts_than_tries_say_nothing():
    assert pass_at_k(2, 2, 3) is None
