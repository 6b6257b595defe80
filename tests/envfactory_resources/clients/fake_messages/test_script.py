import pytest

from envfactory_resources.clients.fake_messages.errors import UnscriptedRequestError
from envfactory_resources.clients.fake_messages.replies import TextReply
from envfactory_resources.clients.fake_messages.requests import ReceivedRequest
from envfactory_resources.clients.fake_messages.script import Script, ScriptLine


def received(last_user="Hello", *, number=1, role="user", system="Play a guest."):
    messages = [{"role": "user", "content": [{"type": "text", "text": last_user}]}]
    body = {"model": "m", "max_tokens": 5, "system": system, "messages": messages}
    return ReceivedRequest(number, {"x-envfactory-role": role}, body)


def test_the_first_line_that_answers_and_is_not_used_up_is_played():
    script = Script([ScriptLine(TextReply("once")), ScriptLine(TextReply("then"), times=None)])

    played = [script.play(received(number=number)).text for number in (1, 2, 3)]

    assert played == ["once", "then", "then"]


@pytest.mark.parametrize(
    "conditions",
    [
        {"role": "judge"},
        {"system": "Rate the text"},
        {"last_user": "Paris"},
        {"pattern": r"\d+ nights"},
        {"sequence": 2},
        {"role": "user", "last_user": "Paris"},
    ],
)
def test_a_line_is_passed_over_unless_all_its_conditions_hold(conditions):
    script = Script([ScriptLine(TextReply("no"), **conditions), ScriptLine(TextReply("yes"))])

    assert script.play(received()).text == "yes"


def test_a_line_answers_when_all_its_conditions_hold():
    line = ScriptLine(
        TextReply("yes"), role="user", system="guest", last_user="Paris", pattern=r"\d", sequence=1
    )

    assert Script([line]).play(received("3 nights in Paris")).text == "yes"


def test_a_reply_can_be_made_from_the_request():
    script = Script([ScriptLine(lambda request: TextReply(request.last_user.upper()))])

    assert script.play(received()).text == "HELLO"


def test_a_request_no_line_answers_is_named():
    with pytest.raises(UnscriptedRequestError, match=r"request 7 of role 'user'.*'Hello'"):
        Script([]).play(received(number=7))


def test_an_error_in_a_reply_function_reaches_the_caller():
    script = Script([ScriptLine(lambda request: TextReply(request.body["nowhere"]))])

    with pytest.raises(UnscriptedRequestError, match=r"raised KeyError: 'nowhere'\. Correct"):
        script.play(received())


def test_lines_that_never_answered_are_listed_and_unlimited_ones_are_not():
    owed = ScriptLine(TextReply("a"), role="judge", times=2)
    script = Script([owed, ScriptLine(TextReply("b"), times=None)])

    script.play(received(role="judge"))

    assert script.unplayed() == [owed]
