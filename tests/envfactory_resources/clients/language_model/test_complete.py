import pytest

from envfactory_resources.clients.fake_messages.replies import (
    RawReply,
    RefusalReply,
    TextReply,
    ToolCallsReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    RefusedReplyError,
    TruncatedReplyError,
)
from envfactory_resources.clients.language_model.reply import tool_result, user_message

HELLO = [{"role": "user", "content": "Hello"}]
SEARCH = {
    "name": "hotel_booking__search_hotels",
    "description": "Find hotels in a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def test_a_text_reply_comes_with_its_usage(connect):
    with FakeMessages([ScriptLine(TextReply("Good morning"), role="user")]) as fake:
        reply = connect(fake).complete("user", "Play a guest.", HELLO, max_tokens=50)

    assert reply.text == "Good morning"
    assert (reply.model, reply.stop_reason) == ("fake-1", "end_turn")
    assert reply.usage.input_tokens > 0
    assert reply.usage.output_tokens > 0
    assert (reply.usage.attempts, reply.usage.from_cache) == (1, False)
    assert fake.requests[0].system == "Play a guest."


def test_a_tool_conversation_goes_on_until_the_model_answers(connect):
    script = [
        ScriptLine(ToolCallsReply([(SEARCH["name"], {"city": "Paris"})], "Let me look.")),
        ScriptLine(TextReply("There is one."), last_user="Hotel Lutetia"),
    ]
    with FakeMessages(script) as fake:
        model = connect(fake)
        first = model.complete("teacher", "Help.", HELLO, max_tokens=50, tools=[SEARCH])
        (call,) = first.requested_calls
        answered = user_message(tool_result(call.call_id, "Hotel Lutetia"))
        messages = [*HELLO, first.as_message(), answered]
        last = model.complete("teacher", "Help.", messages, max_tokens=50, tools=[SEARCH])

    assert (call.tool, call.arguments) == (SEARCH["name"], {"city": "Paris"})
    assert (first.text, last.text) == ("Let me look.", "There is one.")
    assert fake.requests[1].tool_names == [SEARCH["name"]]


def test_sampling_and_further_fields_reach_the_endpoint(connect):
    with FakeMessages([ScriptLine(TextReply("Hi"))]) as fake:
        model = connect(fake, extra_body={"top_k": 4})
        model.complete(
            "user",
            "",
            HELLO,
            max_tokens=7,
            temperature=0.7,
            tools=[SEARCH],
            tool_choice={"type": "any"},
        )

    body = fake.requests[0].body
    sent = {name: body[name] for name in ("temperature", "top_k", "max_tokens", "tool_choice")}
    assert sent == {
        "temperature": 0.7,
        "top_k": 4,
        "max_tokens": 7,
        "tool_choice": {"type": "any"},
    }
    assert "system" not in body


def test_a_marked_prefix_is_read_from_the_prompt_cache_the_second_time(connect):
    with FakeMessages([ScriptLine(TextReply("Hi"), times=None)]) as fake:
        model = connect(fake)
        usages = [
            model.complete(
                "judge",
                "Rate the text. " * 50,
                [user_message(text)],
                max_tokens=5,
                prompt_cache="conversation",
            ).usage
            for text in ("first", "second")
        ]

    assert usages[0].cache_write_tokens == usages[1].cache_read_tokens > 0
    assert fake.requests[0].body["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize(
    ("scripted", "error", "said"),
    [
        (TruncatedReply("And so"), TruncatedReplyError, "max_tokens=5. Raise max_tokens"),
        (RefusalReply(), RefusedReplyError, "declined to answer. Reword the prompt"),
        (RawReply("<html>"), MalformedReplyError, "no Messages reply .*<html>.*base_url"),
        (RawReply("{}"), MalformedReplyError, "model: Field required"),
        (
            RawReply(
                '{"model": "m", "stop_reason": "tool_use", '
                '"content": [{"type": "tool_use", "id": "1", "name": "a", "input": "{"}]}'
            ),
            MalformedReplyError,
            "arguments: Input should be",
        ),
    ],
)
def test_a_useless_reply_is_an_error_of_its_kind_with_role_and_cost(connect, scripted, error, said):
    with FakeMessages([ScriptLine(scripted)]) as fake:
        model = connect(fake)
        with pytest.raises(error, match=f"Role 'user': .*{said}") as caught:
            model.complete("user", "", HELLO, max_tokens=5)

    assert caught.value.role == "user"
    assert caught.value.usage.attempts == 1
    assert model.ledger.by_role()["user"].failed_call_count == 1


def test_a_useless_reply_is_not_kept(connect):
    with FakeMessages([ScriptLine(TruncatedReply()), ScriptLine(TextReply("Whole"))]) as fake:
        model = connect(fake)
        with pytest.raises(TruncatedReplyError):
            model.complete("user", "", HELLO, max_tokens=5)

        assert model.complete("user", "", HELLO, max_tokens=5).text == "Whole"


def test_a_server_that_counts_no_tokens_is_taken(connect):
    body = '{"model": "m", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}'
    with FakeMessages([ScriptLine(RawReply(body))]) as fake:
        reply = connect(fake).complete("user", "", HELLO, max_tokens=5)

    assert (reply.text, reply.usage.input_tokens) == ("Hi", 0)
