import random

import pytest

from envfactory_assets.stages.queries.implicit_reference import implicit_reference

CITY = "find a hotel in {city}[ for {guests} guests]"


def refined(turn, *earlier):
    refinement = implicit_reference(turn, list(earlier), random.Random(0))
    return refinement.turn.text() if refinement else None


def test_an_entity_of_a_list_is_pointed_at_by_what_singles_it_out(wording, stay):
    refinement = implicit_reference(wording.turn(*stay[:2]), [], random.Random(1))

    assert refinement.turn.text() == (
        "Please find a hotel in Lisbon from 2026-05-01 to 2026-05-04 and then see which rooms are "
        "free at the cheapest hotel for the same dates."
    )
    assert "'Casa Azul' became 'the cheapest hotel'" in refinement.reason
    assert "the same dates" in refinement.reason


def test_the_same_dates_are_the_last_ones_that_were_said(wording, stay):
    move = wording.clause(
        1,
        "hotel_booking__change_dates",
        "move that booking to {check_in} until {check_out}",
        wording.said("check_in", "2026-06-01"),
        wording.said("check_out", "2026-06-02"),
    )
    text = refined(wording.turn(stay[0], move, stay[2]))
    assert text is None or "same dates" not in text


def test_dates_that_only_a_silenced_look_up_had_are_said(wording, stay):
    text = refined(wording.turn(stay[0].silenced(), stay[1]))

    assert text is None or "same dates" not in text


def test_what_was_named_before_and_is_the_only_one_of_its_kind_is_that_one(wording, stay):
    save = wording.clause(
        3,
        "hotel_booking__save_favorite",
        "save {hotel_id} to my favorites",
        *stay[1].call.provenance[:1],
    )
    earlier = wording.turn(stay[0], stay[1])

    assert (
        refined(wording.turn(save, number=1), earlier) == "Please save that hotel to my favorites."
    )


def test_what_only_a_silenced_look_up_named_is_not_that_one(wording, stay):
    save = wording.clause(
        3,
        "hotel_booking__save_favorite",
        "save {hotel_id} to my favorites",
        *stay[1].call.provenance[:1],
    )
    text = refined(wording.turn(stay[0], stay[1].silenced(), save))

    assert "that hotel" not in text


def test_a_list_that_nobody_asked_for_has_no_first_item(wording, stay):
    texts = {
        implicit_reference(wording.turn(stay[0].silenced(), stay[1]), [], random.Random(seed))
        for seed in range(5)
    }
    assert texts == {None}


def test_a_value_said_in_an_earlier_turn_is_the_same_again(wording):
    first = wording.turn(wording.clause(0, "h__search_hotels", CITY, wording.said("city", "Oslo")))
    again = wording.turn(
        wording.clause(1, "h__search_hotels", CITY, wording.said("city", "Oslo")), number=1
    )
    assert refined(again, first) == "Please find a hotel in the same city."


def test_the_same_value_is_not_said_of_one_among_several(wording):
    first, second = (
        wording.turn(wording.clause(n, "h__search_hotels", CITY, wording.said("city", city)))
        for n, city in enumerate(("Oslo", "Lima"))
    )
    again = wording.turn(
        wording.clause(2, "h__search_hotels", CITY, wording.said("city", "Oslo")), number=2
    )
    assert refined(again, first, second) is None


@pytest.mark.parametrize(
    ("template", "path", "value", "text"),
    [
        ("write to {email}: 'Hi'", "email", "a@example.com", "write to the same person: 'Hi'"),
        ("meet at {start} again", "start", "2026-05-01T09:00", None),
        ("meet at {start} for an hour", "start", "2026-05-01T09:00", "meet at the same time for an hour"),
        ("add the tag {tag} on it", "tag", "draft", None),
        ("leave on {day}", "day", "2026-05-01", None),
        ("post '{text}' again", "text", "Hello there", None),
        ("stay for {n} nights", "n", 5, None),
    ],
)  # fmt: skip
def test_the_same_value_is_said_only_where_it_reads_well(wording, template, path, value, text):
    def turn(number):
        clause = wording.clause(number, "s__do", template, wording.said(path, value))
        return wording.turn(clause, number=number)

    assert refined(turn(1), turn(0)) == (f"Please {text}." if text else None)
