import pytest

from rl_jobs.exchange import ReadCall
from rl_jobs.trl.call_grammar import read_message, write_call

FUNCTIONS = [
    {
        "type": "function",
        "function": {
            "name": "calendar__create_event",
            "parameters": {
                "properties": {
                    "title": {"type": "string"},
                    "minutes": {"type": "integer"},
                    "price": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "guests": {"type": "array", "items": {"type": "string"}},
                    "all_day": {"type": "boolean"},
                    "place": {"type": "object"},
                }
            },
        },
    }
]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"title": "Dry run", "minutes": 20},
        {"title": "5", "minutes": 5},
        {"title": "true: a story", "all_day": True},
        {"title": "two\nlines"},
        {"title": '"quoted"'},
        {"guests": ["a@example.org", "b@example.org"]},
        {"guests": []},
        {"price": None, "minutes": -3},
        {"price": 2.5, "place": {"city": "Tunis", "floor": 3}},
    ],
)
def test_what_is_written_is_read_back(arguments: dict) -> None:
    read = read_message(write_call("calendar__create_event", arguments), FUNCTIONS)
    assert read.calls == (ReadCall("calendar__create_event", arguments),)
    assert read.format_errors == 0
    assert read.text == ""


def test_a_call_in_thinking_is_no_call() -> None:
    text = "<think>\ncall calendar__create_event\ntitle: Dry run\n</think>\nWhich day?"
    read = read_message(text, FUNCTIONS)
    assert read.calls == ()
    assert read.format_errors == 0
    assert read.text == "Which day?"


def test_thinking_that_never_ends_hides_its_calls_and_counts() -> None:
    read = read_message("<think>\ncall calendar__create_event\ntitle: Dry run", FUNCTIONS)
    assert read.calls == ()
    assert read.format_errors == 1


def test_a_call_after_thinking_counts() -> None:
    read = read_message("<think>now</think>\ncall calendar__create_event\ntitle: A", FUNCTIONS)
    assert [call.arguments for call in read.calls] == [{"title": "A"}]


def test_several_calls_in_one_message_are_read_in_order() -> None:
    text = "On it.\ncall calendar__create_event\ntitle: A\ncall calendar__create_event\ntitle: B"
    read = read_message(text, FUNCTIONS)
    assert [call.arguments["title"] for call in read.calls] == ["A", "B"]
    assert read.text == "On it."


@pytest.mark.parametrize(
    "text",
    ["call", "call Everybody now", "call calendar__create_event\nno colon here", "call x__y z"],
)
def test_a_call_that_cannot_be_read_counts(text: str) -> None:
    read = read_message(text, FUNCTIONS)
    assert read.calls == ()
    assert read.format_errors == 1


def test_a_word_in_a_sentence_is_no_call() -> None:
    read = read_message("I will call calendar__create_event for you.", FUNCTIONS)
    assert read.calls == ()
    assert read.format_errors == 0


def test_a_value_that_does_not_fit_is_left_for_the_environment_to_refuse() -> None:
    read = read_message("call calendar__create_event\nminutes: soon", FUNCTIONS)
    assert read.calls[0].arguments == {"minutes": "soon"}
