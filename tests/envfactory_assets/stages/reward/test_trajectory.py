import pytest

from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.reward.settings import RewardSettings

BOOK_BO = ("book", {"hotel_id": "HT-1", "guest": "Bo"})
BOOK_CY = ("book", {"hotel_id": "HT-2", "guest": "Cy"})


def show(key):
    return ("show", {"booking_id": key})


def pairs_of(reward):
    return [(pair.reference, pair.attempted) for pair in reward.matched]


def test_created_ids_in_later_calls_are_compared_up_to_renaming(reference, attempt):
    wanted = reference(BOOK_BO, BOOK_CY, show("BK-2"))
    reward = evaluate(wanted, attempt(BOOK_CY, BOOK_BO, show("BK-3")))
    assert reward.trajectory == 1.0
    assert pairs_of(reward) == [(0, 1), (1, 0), (2, 2)]


def test_a_call_on_the_other_created_record_is_wrong(reference, attempt):
    wanted = reference(BOOK_BO, BOOK_CY, show("BK-2"))
    reward = evaluate(wanted, attempt(BOOK_BO, BOOK_CY, show("BK-3")))
    assert reward.trajectory == pytest.approx(2 / 3)


def test_created_ids_are_told_apart_even_where_the_states_differ(reference, attempt):
    wanted = reference(BOOK_BO, BOOK_CY, show("BK-2"))
    stray = ("send", {"to": "x", "text": "y"})
    reward = evaluate(wanted, attempt(stray, BOOK_CY, BOOK_BO, show("BK-3")))
    assert pairs_of(reward) == [(0, 2), (1, 1), (2, 3)]
    assert reward.is_damaged


def test_an_id_that_was_there_before_stands_for_no_created_id(reference, attempt):
    wanted = reference(BOOK_BO, show("BK-2"))
    assert pairs_of(evaluate(wanted, attempt(BOOK_BO, show("BK-1")))) == [(0, 0)]


def test_a_refused_call_stands_for_nothing(reference, attempt):
    wanted = reference(show("BK-1"))
    reward = evaluate(wanted, attempt(show("BK-9")))
    assert reward.matched == ()
    assert reward.unmatched == (0,)
    assert reward.redundant == (0,)


def test_strict_gives_no_credit_for_parts_of_a_call(reference, attempt):
    wanted = reference(("search", {"city": "Paris", "stars": 4}))
    done = attempt(("search", {"city": "Paris", "stars": 5}))
    assert evaluate(wanted, done).trajectory == 0.25
    assert evaluate(wanted, done, RewardSettings(form="strict")).matched == ()


def test_after_damage_a_write_with_a_wrong_detail_earns_nothing(reference, attempt):
    wanted = reference(BOOK_BO)
    longer = ("book", {"hotel_id": "HT-1", "guest": "Bo", "nights": 5})
    assert evaluate(wanted, attempt(longer)).trajectory > 0.0
    damage = ("cancel", {"booking_id": "BK-1"})
    assert evaluate(wanted, attempt(longer, damage)).trajectory == 0.0


def test_many_mentioned_ids_are_matched_within_the_bound(reference, attempt):
    books = [("book", {"hotel_id": "HT-1", "guest": f"Guest {n}"}) for n in range(7)]
    shows = [show(f"BK-{n + 2}") for n in range(7)]
    wanted = reference(*books, *shows)
    swapped = [show(f"BK-{8 - n}") for n in range(7)]
    assert evaluate(wanted, attempt(*reversed(books), *swapped)).total == 1.0
