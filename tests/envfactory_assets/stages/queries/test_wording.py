import pytest

from envfactory_assets.stages.queries.wording import (
    join_words,
    mentions,
    spellings,
    topic_of,
    words_of,
)


@pytest.mark.parametrize(
    ("value", "ways"),
    [
        ("2026-03-04", ["2026-03-04", "4 March 2026"]),
        ("2026-03-04T09:30", ["2026-03-04 09:30", "09:30 on 4 March 2026"]),
        (20.0, ["20"]),
        (19.5, ["19.5"]),
        ("computer_science", ["computer science"]),
        (["a@example.com", "b@example.com"], ["a@example.com and b@example.com"]),
        ({"first": 1, "second": 2}, ["1 and 2"]),
        (True, ["yes", "on"]),
    ],
)
def test_a_value_is_said_as_a_person_says_it(value, ways):
    assert spellings(value)[: len(ways)] == ways


@pytest.mark.parametrize(
    ("text", "value", "is_said"),
    [
        ("from 4 March 2026 on", "2026-03-04", True),
        ("at 9:30", "2026-03-04T09:30", False),
        ("for 20 guests", 2, False),
        ("2 guests", 2, True),
        ("in LISBON.", "Lisbon", True),
        ("invite a@example.com", ["a@example.com", "b@example.com"], False),
        ("b@example.com and a@example.com", ["a@example.com", "b@example.com"], True),
    ],
)
def test_a_text_says_a_value_in_whole_words_only(text, value, is_said):
    assert mentions(text, value) is is_said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hotel_id", "hotel"),
        ("hotels[].hotel_id", "hotel"),
        ("guests[]", "guests"),
        ("check_in", "check in"),
    ],
)
def test_names_of_parameters_become_words(name, words):
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("path", "value", "topic"),
    [
        ("send_at", "2026-03-04T09:30", "send time"),
        ("due_on", "2026-03-04", "due date"),
        ("email", "a@example.com", "e-mail address"),
        ("duration_minutes", 30, "duration in minutes"),
        ("hours", 5, "number of hours"),
        ("city", "Lisbon", "city"),
        ("guests", ["a@example.com"], "guests"),
    ],
)
def test_a_value_is_asked_for_by_what_a_person_calls_it(path, value, topic):
    assert topic_of(path, value) == topic


def test_words_are_joined_as_in_speech():
    assert join_words(["a"]) == "a"
    assert join_words(["a", "b", "c"]) == "a, b and c"
