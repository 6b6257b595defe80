import pytest

from envfactory_assets.stages.viewing.conversation import CallPool, conversation
from envfactory_assets.stages.viewing.replaying import Replayed
from sandboxes.core.catalog import Catalog


@pytest.fixture
def pool():
    return CallPool()


def shown(messages, pool, queries=("Hello",)):
    return conversation(messages, queries, Replayed({}, Catalog([])), pool)


def asks(*calls, role="assistant", content=""):
    made = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for call_id, name in calls
    ]
    return {"role": role, "content": content, "tool_calls": made}


def reply(call_id, text):
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def test_a_turn_begins_with_its_request_and_not_with_an_answer(pool):
    messages = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Which city?"},
        {"role": "user", "content": "Lima"},
        {"role": "user", "content": "Bye"},
    ]

    items = shown(messages, pool, ("Hello", "Bye"))
    assert [item.get("turn") for item in items] == [0, None, None, 1]


def test_each_of_several_calls_has_its_own_reply(pool):
    messages = [
        asks(("a", "x__one"), ("b", "x__two")),
        reply("b", '"second"'),
        reply("a", '"first"'),
    ]

    items = shown(messages, pool)
    results = [pool.calls[item["call"]]["result"] for item in items]
    assert results == ["first", "second"]


def test_the_same_call_id_in_two_turns_is_two_calls(pool):
    messages = [
        asks(("call", "x__one")),
        reply("call", "1"),
        asks(("call", "x__one")),
        reply("call", "2"),
    ]

    assert [pool.calls[item["call"]]["result"] for item in shown(messages, pool)] == [1, 2]


def test_a_call_without_a_reply_is_still_shown(pool):
    [item] = shown([asks(("a", "x__one"))], pool)

    assert pool.calls[item["call"]]["result"] == ""


def test_a_call_that_several_attempts_made_is_stored_once(pool):
    messages = [asks(("a", "x__one")), reply("a", "1")]

    assert shown(messages, pool) == shown(messages, pool)
    assert len(pool.calls) == 1


def test_a_call_of_the_user_says_so(pool):
    [item] = shown([asks(("a", "phone__restart"), role="user"), reply("a", "{}")], pool)

    assert item["by"] == "user"


def test_words_beside_a_call_are_shown_before_it(pool):
    content = [{"type": "text", "text": "Let me see."}, {"type": "thinking"}]
    items = shown([asks(("a", "x__one"), content=content), reply("a", "1")], pool)

    assert items == [{"role": "assistant", "text": "Let me see."}, {"call": 0}]


def test_what_the_user_did_stands_before_what_it_says_of_it(phone, phone_scenario, pool):
    done = {"tool": "phone__switch_on", "arguments": {}, "ok": True}
    messages = [{"role": "user", "content": "It is on.", "actions": [done]}]
    items = conversation(messages, (), Replayed(phone_scenario, phone), pool)

    assert items == [{"call": 0, "by": "user"}, {"role": "user", "text": "It is on."}]
    assert pool.calls[0]["result"] == {"is_on": True}
    assert [change["what"] for change in pool.calls[0]["changes"]] == ["Is on"]
