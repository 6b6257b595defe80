from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory_assets.stages.reward.matching import best_matching

NO_ORDER = [frozenset()] * 20


def credit_of(rows, pairs):
    return sum(rows[index][attempted] for index, attempted in pairs.items())


def best_credit(rows, ancestors):
    """Try everything: each reference call takes one attempted call or a blank."""
    count = 1 + max((key for row in rows for key in row), default=-1)
    slots = [*range(count), *[None] * len(rows)]
    best = 0.0
    for chosen in set(permutations(slots, len(rows))):
        pairs = {i: j for i, j in enumerate(chosen) if j is not None and j in rows[i]}
        if all(pairs.get(a, -1) < j for i, j in pairs.items() for a in ancestors[i]):
            best = max(best, credit_of(rows, pairs))
    return best


def test_the_assignment_is_the_best_one_and_not_the_greedy_one():
    assert best_matching([{0: 1.0, 1: 1.0}, {0: 1.0}], NO_ORDER) == {0: 1, 1: 0}


def test_pairs_in_a_forbidden_order_are_not_taken_together():
    assert len(best_matching([{1: 1.0}, {0: 1.0}], [frozenset(), frozenset({0})])) == 1


def test_an_order_holds_across_a_call_that_nothing_stands_for():
    ancestors = [frozenset(), frozenset({0}), frozenset({0, 1})]
    assert len(best_matching([{1: 1.0}, {}, {0: 1.0}], ancestors)) == 1


def test_a_lesser_pair_is_taken_where_it_allows_more_in_total():
    rows = [{2: 1.0, 0: 0.4}, {1: 1.0}]
    assert best_matching(rows, [frozenset(), frozenset({0})]) == {0: 0, 1: 1}


def test_nothing_stands_for_nothing():
    assert best_matching([{}, {}], NO_ORDER) == {}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_credit_equals_that_of_trying_everything(data):
    size = data.draw(st.integers(1, 4))
    credits_ = st.sampled_from([0.25, 0.5, 1.0])
    row = st.dictionaries(st.integers(0, 3), credits_, max_size=4)
    rows = data.draw(st.lists(row, min_size=size, max_size=size))
    ancestors = []
    for index in range(size):
        direct = data.draw(st.sets(st.integers(0, index - 1))) if index else set()
        ancestors.append(frozenset(direct).union(*(ancestors[i] for i in direct)))
    pairs = best_matching(rows, ancestors)
    assert credit_of(rows, pairs) == pytest.approx(best_credit(rows, ancestors))


def test_many_calls_that_are_alike_are_matched_best():
    rows = [{j: 1.0 if (i + j) % 5 == 0 else 0.5 for j in range(8)} for i in range(14)]
    assert credit_of(rows, best_matching(rows, NO_ORDER)) == 8.0


def test_many_calls_that_are_alike_keep_their_order():
    size = 12
    rows = [{size - 1 - i: 1.0, i: 0.5} for i in range(size)]
    ancestors = [frozenset(range(i)) for i in range(size)]
    pairs = best_matching(rows, ancestors)
    assert list(pairs.values()) == sorted(pairs.values())
    assert credit_of(rows, pairs) == 6.0
