import random
from dataclasses import replace

import pytest

from envfactory_assets.stages.queries.motives import MOTIVES
from envfactory_assets.stages.queries.operations import (
    action_compression,
    ambiguity,
    goal_expansion,
)
from sandboxes.core.domain import Domain


def test_look_ups_that_a_later_step_implies_are_left_out_and_their_values_said(wording, stay):
    refinement = action_compression(wording.turn(*stay))

    assert refinement.turn.text() == (
        "Please book the double room of Casa Azul for Ana Brandt from 2026-05-01 to 2026-05-04. "
        "I mean the hotel in Lisbon."
    )
    assert (
        refinement.reason
        == "The request no longer asks to search hotels and list rooms on the way."
    )
    assert refinement.disclosures == ()


def test_a_turn_of_look_ups_only_keeps_the_last(wording, stay):
    refinement = action_compression(wording.turn(*stay[:2]))

    assert refinement.turn.text() == (
        "Please see which rooms are free at Casa Azul from 2026-05-01 to 2026-05-04. "
        "I mean the hotel in Lisbon."
    )


def test_a_look_up_whose_optional_filter_would_be_lost_is_asked_for(wording, stay):
    search = wording.clause(
        0,
        "hotel_booking__search_hotels",
        "find a hotel in {city}[ under {max_price} a night]",
        wording.said("city", "Lisbon"),
        wording.said("max_price", 90, required=False),
    )
    assert action_compression(wording.turn(search, stay[1])) is None


def test_a_look_up_whose_value_no_sentence_can_say_is_asked_for(wording, stay):
    search = wording.clause(
        0, "hotel_booking__search_hotels", "find {city} hotels", wording.said("city", "Lisbon")
    )
    assert action_compression(wording.turn(search, stay[1])) is None


def test_an_entity_that_was_only_looked_at_is_called_what_the_look_up_called_it(wording):
    chat = wording.taken(
        "chat_id", "CV-1", "0:chats[0].chat_id", "chat", ("label", "the Choir chat")
    )
    opened = wording.taken("chat_id", "CV-1", "1:chat_id", "chat", ("only", "that chat"))
    turn = wording.turn(
        wording.clause(1, "m__get_chat", "open {chat_id}", chat),
        wording.clause(2, "m__mute_chat", "mute {chat_id}", opened),
    )
    assert action_compression(turn).turn.text() == "Please mute the Choir chat."


def test_words_do_not_pile_up(wording):
    folder = wording.taken(
        "folder_id", "FO-1", "0:f", "folder", ("label", "the folder of the file 'a.md'")
    )
    file = wording.taken("file_id", "FI-2", "1:f", "file", ("label", "the file 'b.md'"))
    turn = wording.turn(
        wording.clause(1, "f__list_folder", "list {folder_id}", folder),
        wording.clause(2, "f__trash_file", "delete {file_id}", file),
    )
    assert action_compression(turn) is None


def kept_back(turn, catalog, history="", seed=0):
    return ambiguity(turn, history, catalog, random.Random(seed))


def test_a_value_is_kept_back_with_the_answer_that_discloses_it(wording, stay, shipped):
    found = {}
    for seed in range(20):
        refinement = kept_back(wording.turn(stay[0]), shipped, seed=seed)
        (item,) = refinement.disclosures
        found[item.path] = (refinement.turn.text(), item)

    text, item = found["city"]
    assert text == "Please find a hotel from 2026-05-01 to 2026-05-04."
    assert item.answer == "The city should be Lisbon."
    assert (item.step, item.topic, item.value) == (0, "city", "Lisbon")
    assert found["check_out"][0] == "Please find a hotel in Lisbon from 2026-05-01."
    assert found["check_in"][0] == "Please find a hotel in Lisbon until 2026-05-04."


def test_a_quoted_text_is_disclosed_in_quotes(wording, shipped):
    review = wording.clause(
        0,
        "hotel_booking__review_hotel",
        "review it, saying '{comment}'",
        wording.said("comment", "Nice, quiet"),
    )
    refinement = kept_back(wording.turn(review), shipped)
    assert refinement.disclosures[0].answer == "The comment should be 'Nice, quiet'."


def test_a_value_that_was_said_before_or_twice_is_not_kept_back(wording, shipped):
    def search(step):
        return wording.clause(
            step,
            "hotel_booking__search_hotels",
            "find a hotel in {city}",
            wording.said("city", "Oslo"),
        )

    assert kept_back(wording.turn(search(0)), shipped, history="I like Oslo.") is None
    assert kept_back(wording.turn(search(0), search(1)), shipped) is None


def test_nothing_optional_is_kept_back(wording, shipped):
    search = wording.clause(
        0,
        "hotel_booking__search_hotels",
        "find a hotel under {max_price} a night",
        wording.said("max_price", 90, required=False),
    )
    assert kept_back(wording.turn(search), shipped) is None


def test_what_would_turn_the_request_into_another_is_not_kept_back(wording, shipped):
    """Without its time, to post a message at a time is to post it."""
    post = wording.clause(
        0,
        "messenger__schedule_message",
        "post '{text}' in {conversation_id} at {send_at}",
        wording.said("text", "Hi"),
        wording.taken("conversation_id", "CV-1", "0:x", "chat", ("label", "Choir")),
        wording.said("send_at", "2026-05-01T09:00"),
    )
    assert kept_back(wording.turn(post), shipped) is None


@pytest.mark.parametrize("domain", list(Domain))
def test_a_first_request_says_what_it_is_for(wording, stay, domain):
    refinement = goal_expansion(wording.turn(stay[0]), domain.value, random.Random(0))

    motive = refinement.turn.aside
    assert motive in MOTIVES[domain.value]
    assert refinement.turn.text() == f"{motive} {wording.turn(stay[0]).text()}"


def test_a_goal_is_said_once_and_at_the_start(wording, stay):
    rng = random.Random(0)
    first = goal_expansion(wording.turn(stay[0]), "travel", rng).turn

    assert goal_expansion(first, "travel", rng) is None
    assert goal_expansion(wording.turn(stay[0], number=1), "travel", rng) is None


def test_nothing_that_only_the_user_needs_is_kept_back(wording, shipped):
    note = wording.said("note", "by the sea")
    clause = wording.clause(0, "hotel_booking__save_favorite", "save it with the note {note}", note)
    assert kept_back(wording.turn(clause), shipped) is not None
    by_user = replace(clause, call=clause.call.model_copy(update={"actor": "user"}))
    assert kept_back(wording.turn(by_user), shipped) is None
