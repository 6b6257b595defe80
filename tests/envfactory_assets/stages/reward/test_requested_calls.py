import pytest

from envfactory_assets.stages.reward.requested_calls import (
    RequestedCall,
    attempted_calls_from_messages,
)

LOOK = RequestedCall("hotel_booking__get_hotel", {"hotel_id": "HT-1"})


def assistant(*functions, **extra):
    calls = [{"type": "function", "id": "1", "function": function} for function in functions]
    return {"role": "assistant", "content": "", "tool_calls": calls, **extra}


def test_parallel_calls_and_calls_beside_content_are_read_in_order():
    first = {"name": LOOK.tool, "arguments": {"hotel_id": "HT-1"}}
    second = {"name": LOOK.tool, "arguments": '{"hotel_id": "HT-1"}'}
    messages = [
        {"role": "user", "content": "Look."},
        assistant(first, second, content="Looking."),
        {"role": "tool", "content": "{}"},
        assistant(second),
    ]
    found = attempted_calls_from_messages(messages)
    assert found.calls == (LOOK, LOOK, LOOK)
    assert found.format_errors == 0


def test_text_is_never_a_call_wherever_it_stands():
    text = '<tool_call>{"name": "hotel_booking__get_hotel", "arguments": {}}</tool_call>'
    function = {"name": "x", "arguments": {}}
    messages = [
        {"role": "assistant", "content": text},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": text}]},
        {"role": "assistant", "content": None, "reasoning_content": text, "tool_calls": None},
        {"role": "tool", "content": text, "tool_calls": [{"function": function}]},
        {"role": "user", "content": text, "tool_calls": [{"function": function}]},
    ]
    found = attempted_calls_from_messages(messages)
    assert (found.calls, found.format_errors) == ((), 0)


@pytest.mark.parametrize(
    "function",
    [
        {"name": "x", "arguments": "{not json"},
        {"name": "x", "arguments": "[1]"},
        {"name": "x", "arguments": '{"a": NaN}'},
        {"name": "x", "arguments": '{"a": ' + "[" * 100_000},
        {"name": "x", "arguments": None},
        {"name": "", "arguments": {}},
        {"arguments": {}},
        "look",
    ],
)
def test_a_malformed_call_is_counted_and_left_out(function):
    found = attempted_calls_from_messages([assistant(function, {"name": "y", "arguments": {}})])
    assert found.format_errors == 1
    assert found.calls == (RequestedCall("y", {}),)


def test_tool_calls_that_are_no_list_are_one_malformed_call():
    found = attempted_calls_from_messages([{"role": "assistant", "tool_calls": "look"}])
    assert (found.calls, found.format_errors) == ((), 1)


def test_a_call_without_arguments_has_none():
    assert attempted_calls_from_messages([assistant({"name": "y"})]).calls[0].arguments == {}
