import pytest

from envfactory_assets.stages.reward import state_equality
from envfactory_assets.stages.reward.state_equality import compare_states

BOOK_BO = ("book", {"hotel_id": "HT-1", "guest": "Bo"})
BOOK_CY = ("book", {"hotel_id": "HT-1", "guest": "Cy"})


def told(key):
    return ("send", {"to": "x", "text": f"Booked as {key}."})


@pytest.fixture
def compare(reference, attempt):
    def run(wanted, done, limit=8):
        return compare_states(reference(*wanted), attempt(*done).end_states, limit)

    return run


def test_created_ids_may_swap_also_inside_longer_texts(compare):
    found = compare([BOOK_BO, BOOK_CY, told("BK-2")], [BOOK_CY, BOOK_BO, told("BK-3")])
    assert found.is_equal
    assert found.names["BK-3"] == "BK-2"


def test_a_text_that_names_the_wrong_created_record_is_a_difference(compare):
    found = compare([BOOK_BO, BOOK_CY, told("BK-2")], [BOOK_CY, BOOK_BO, told("BK-2")])
    assert not found.is_equal
    assert found.differences == (
        "lifestyle.messenger/messages/MS-2/text is 'Booked as BK-3.'; "
        "the reference makes it 'Booked as BK-2.'.",
    )


def test_ids_that_were_there_before_may_not_swap(compare):
    wanted = [("annotate", {"booking_id": "BK-1", "note": "x"}), BOOK_BO]
    done = [BOOK_BO, ("annotate", {"booking_id": "BK-2", "note": "x"})]
    assert not compare(wanted, done).is_equal


def test_a_record_made_and_removed_again_leaves_the_states_equal(compare):
    assert compare([BOOK_BO], [BOOK_CY, ("cancel", {"booking_id": "BK-2"}), BOOK_BO]).is_equal


def test_case_and_white_space_are_forgiven_where_the_reference_wrote(compare):
    shouted = ("book", {"hotel_id": "HT-1", "guest": "  BO"})
    assert compare([BOOK_BO], [shouted]).is_equal


def test_case_is_not_forgiven_where_the_reference_wrote_nothing(reference, attempt):
    states = attempt(BOOK_BO).end_states
    states["travel.hotel_booking"]["bookings"]["BK-1"]["guest"] = "ANA"
    found = compare_states(reference(BOOK_BO), states, 8)
    assert found.is_damaged


def test_an_untouched_state_has_no_share_of_the_changes(compare):
    found = compare([BOOK_BO], [("look", {"hotel_id": "HT-1"})])
    assert found.is_untouched
    assert (found.share, found.is_damaged) == (0.0, False)


def test_a_created_record_counts_once_and_only_as_a_whole(compare):
    found = compare([BOOK_BO, told("x")], [BOOK_CY])
    # Of three changes (rooms left, the booking, the message) only the rooms are as they should be.
    assert found.share == pytest.approx(1 / 3)
    assert not found.is_damaged


def test_one_record_too_many_is_damage(compare):
    assert compare([BOOK_BO], [BOOK_BO, told("x")]).is_damaged


def test_a_change_elsewhere_is_damage_and_is_told_first(compare):
    found = compare([BOOK_BO], [("annotate", {"booking_id": "BK-1", "note": "oops"})], limit=1)
    assert found.is_damaged
    assert found.differences == (
        "travel.hotel_booking/bookings/BK-1/note is 'oops'; the reference leaves it as it was.",
    )


def test_giving_up_on_too_many_equal_ids_is_said(compare, monkeypatch):
    monkeypatch.setattr(state_equality, "MAX_NAMINGS", 3)
    found = compare([BOOK_BO] * 4 + [told("x")], [BOOK_BO] * 4 + [told("y")])
    assert found.differences[0].startswith("The created ids are too much alike")
