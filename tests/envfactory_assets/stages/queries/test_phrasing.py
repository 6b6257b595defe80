import random

import pytest

from envfactory_assets.stages.queries.phrasing import (
    can_cut,
    clause_for,
    deed_of,
    is_quoted,
    narrowing,
    render,
    stands_free,
    words_of_phrasings,
)


@pytest.fixture
def worded(wording):
    """Make a clause of a template and what is said for its slots."""

    def make(template, **texts):
        said = (wording.said(path, value) for path, value in texts.items())
        return wording.clause(0, "service__do", template, *said)

    return make


def test_optional_parts_without_a_value_go(worded):
    template = "list my[ {status}] bookings[ in {city}]"

    assert render(worded(template)) == "list my bookings"
    assert render(worded(template, status="confirmed")) == "list my confirmed bookings"


def test_a_value_without_a_slot_is_added(worded):
    assert render(worded("list my bookings", max_price=90)) == "list my bookings (max price: 90)"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("find one with {n} free seats", "find one with 1 free seat"),
        ("review it with {n} stars, saying", "review it with 1 star, saying"),
        ("remind me {n} minutes before it", "remind me 1 minute before it"),
        ("show the {n} newest entries", "show the 1 newest entry"),
        ("rated {n} and up", "rated 1 and up"),
        ("call {n} as he is", "call 1 as he is"),
    ],
)
def test_one_thing_is_counted_in_the_singular(worded, template, text):
    assert render(worded(template, n=1)) == text
    assert render(worded(template, n=2)) == template.replace("{n}", "2")


@pytest.mark.parametrize(
    ("template", "slot", "text"),
    [
        ("find a hotel in {city} from {a}", "city", "find a hotel from A"),
        ("stay there from {a} to {b}", "a", "stay there until B"),
        ("stay there from {a} to {b}", "b", "stay there from A"),
        ("show my week between {a} and {b}", "b", "show my week from A"),
        ("review {a} with {n} stars, saying '{b}'", "b", "review A with N stars"),
        ("review {a} with {n} stars, saying '{b}'", "n", "review A, saying 'B'"),
        ("ask {a} for {n} because of '{b}'", "b", "ask A for N"),
        ("return {a} because it is {b}", "b", "return A"),
    ],
)
def test_a_value_that_is_kept_back_takes_its_lead_in_words_with_it(worded, template, slot, text):
    texts = {"city": "CITY", "a": "A", "b": "B", "n": "N"}
    kept = {key: text for key, text in texts.items() if f"{{{key}}}" in template and key != slot}
    clause = worded(template, **kept)

    assert render(clause) == text
    assert can_cut(clause, slot)


@pytest.mark.parametrize(
    ("template", "slot"),
    [
        ("hand in '{answer}' for {assignment_id}", "answer"),
        ("write to {email}: '{text}'", "email"),
        ("write '{text}' to {file_id} in {mode} mode", "mode"),
        ("find {department} courses", "department"),
        ("block {email}", "email"),
        ("save {name} as a {category} payee", "category"),
    ],
)
def test_a_clause_that_would_fall_apart_keeps_its_value(worded, template, slot):
    assert not can_cut(worded(template), slot)


def test_a_slot_stands_free_when_nothing_belongs_to_it(worded):
    assert stands_free(worded("write to {email}: '{text}'"), "email")
    assert not stands_free(worded("send it by {speed} delivery"), "speed")


def test_quoted_values_are_said_word_for_word(worded):
    clause = worded("write to {email}: '{text}'")

    assert is_quoted(clause, "text")
    assert not is_quoted(clause, "email")


@pytest.mark.parametrize(
    ("template", "tail"),
    [
        ("find a hotel in {city} from {day}[ under {price} a night]", "in CITY from DAY"),
        ("look up what I have between {day} and {city}", "between DAY and CITY"),
        ("find a room that is free at {day} in {city}", "that is free at DAY in CITY"),
        ("find {city} courses on {day}", "on DAY"),
    ],
)
def test_a_look_up_is_narrowed_down_by_what_follows_its_object(worded, template, tail):
    words, slots = narrowing(worded(template, city="CITY", day="DAY"))

    assert words == tail
    assert slots == {name for name in ("city", "day") if f"{name.upper()}" in tail}


def test_nothing_narrows_a_plain_look_up(worded):
    assert narrowing(worded("list my bookings")) == ("", frozenset())


def test_what_a_silenced_look_up_said_is_carried_until_the_thing_is_called_otherwise(stay):
    carrying = stay[2].carrying("room_id", "of Casa Azul")

    assert render(carrying).startswith("book the double room of Casa Azul for Ana Brandt")
    assert "that room for" in render(carrying.naming("room_id", "that room"))


def test_what_only_the_user_can_do_is_something_to_be_told_of(wording, shipped):
    tool = shipped.tools["hotel_booking__sign_registration"]
    booking = wording.taken(
        "booking_id", "BK-1", "0:booking_id", "booking", ("label", "the Casa Azul booking")
    )
    call = wording.clause(1, tool.wire_name, "sign", booking).call
    by_user = call.model_copy(update={"actor": "user"})

    deed = "sign the registration form for the Casa Azul booking on my phone"
    assert render(clause_for(by_user, tool, 0, random.Random(0))) == f"let me know when to {deed}"
    assert deed_of(by_user, tool) == deed
    assert words_of_phrasings(tool) == (["sign"], ["registration", "form", "phone"])
