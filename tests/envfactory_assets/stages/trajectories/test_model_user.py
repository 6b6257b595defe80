import pytest

from envfactory_assets.records.queries import Disclosure, UserAction
from envfactory_assets.stages.trajectories.model_user import ModelUser
from envfactory_assets.stages.trajectories.simulated_user import NOTHING_TO_ADD, UserReply
from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    RefusalReply,
    StructuredReply,
    TextReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import RequestRejectedError

DAY = Disclosure(
    step=0,
    path="check_in",
    topic="check in",
    value="2026-03-04",
    answer="The check in should be 2026-03-04.",
)
CITY = Disclosure(
    step=0, path="city", topic="city", value="Lisbon", answer="The city should be Lisbon."
)
ASKED = "Could you tell me the check in?"


@pytest.fixture
def answer(model_at):
    """Answer one question by a script; return the answer, the user and the requests."""

    def run(*replies, question=ASKED, disclosures=(DAY, CITY), actions=()):
        lines = [ScriptLine(reply) for reply in replies]
        with FakeMessages(lines) as fake:
            user = ModelUser(model_at(fake))
            return user.answer(question, disclosures, actions), user, fake.requests

    return run


def says(text, is_done=False):
    return StructuredReply({"reply": text, "is_done": is_done})


def test_a_reply_in_own_words_with_the_fact_stands(answer):
    said, user, requests = answer(says("Sure, I arrive on 4 March 2026."))

    assert said == UserReply("Sure, I arrive on 4 March 2026.")
    assert user.faults == {}
    assert user.made_by == "user:fake-1"
    assert requests[0].role == "user"
    assert "- check in: 2026-03-04" in requests[0].last_user


def test_a_question_in_other_words_than_the_topic_is_understood(answer):
    said, user, _ = answer(says("On 2026-03-04."), question="When would you like to arrive?")

    assert (said.text, user.faults) == ("On 2026-03-04.", {})


BROKEN = [
    ("2026-03-04, and the booking is BK-7.", "says_an_id"),
    ("From 2026-03-04 for 5 nights.", "invents_a_value"),
    ("I arrive on 2026-03-04 with my friend Otto.", "invents_a_name"),
    ("The check in is up to you.", "keeps_back_what_was_asked"),
    ("2026-03-05", "invents_a_value"),
    ("   ", "empty_or_too_long"),
    ("2026-03-04 " + "really " * 100, "empty_or_too_long"),
]


@pytest.mark.parametrize(("reply", "fault"), BROKEN)
def test_a_reply_that_leaks_invents_or_withholds_is_asked_for_once_more(answer, reply, fault):
    said, user, requests = answer(says(reply), says("On 2026-03-04."))

    assert said == UserReply("On 2026-03-04.")
    assert user.faults == {fault: 1}
    assert fault.replace("_", " ") in requests[1].last_user


@pytest.mark.parametrize(("reply", "fault"), BROKEN)
def test_a_user_that_breaks_its_brief_twice_is_at_fault(answer, reply, fault):
    said, user, _ = answer(says(reply), says(reply))

    assert said.fault == fault
    assert user.faults == {fault: 2}


def test_an_id_that_the_assistant_asked_with_is_not_said_back(answer):
    said, _, _ = answer(says("Yes, HT-3 on 2026-03-04."), says("Yes, HT-3 on 2026-03-04."))

    assert said.fault == "says_an_id"


def test_a_reply_without_any_fact_is_said_in_the_words_of_the_rules(answer):
    said, user, _ = answer(says("No idea, sorry."), question="Do you have a budget?")

    assert (said, user.faults) == (UserReply(NOTHING_TO_ADD), {})


def test_the_user_ends_the_turn_when_it_is_told_that_all_is_done(answer):
    said, _, _ = answer(says("Great.", is_done=True), question="I booked the room for you.")

    assert said.is_done


def test_the_user_cannot_end_a_turn_in_which_it_is_asked_something(answer):
    said, _, _ = answer(says("On 2026-03-04.", is_done=True))

    assert said == UserReply("On 2026-03-04.")


def test_with_nothing_to_disclose_no_model_is_asked(answer):
    said, _, requests = answer(disclosures=())

    assert (said.text, requests) == (NOTHING_TO_ADD, [])


@pytest.mark.parametrize(
    ("useless", "name"),
    [(TextReply("On 2026-03-04."), "MalformedReplyError"), (RefusalReply(), "RefusedReplyError")],
)
def test_useless_replies_are_the_users_fault(answer, useless, name):
    said, user, _ = answer(useless, useless)

    assert (said.fault, user.faults) == (name, {name: 2})


def test_the_same_question_is_paid_for_once(model_at):
    with FakeMessages([ScriptLine(says("On 2026-03-04."))]) as fake:
        answers = [ModelUser(model_at(fake)).answer(ASKED, [DAY]).text for _ in range(2)]

    assert answers == ["On 2026-03-04."] * 2


def test_a_request_that_fails_ends_the_run(answer):
    with pytest.raises(RequestRejectedError, match="Role 'user'"):
        answer(ErrorReply(400))


SIGN = UserAction(
    step=2,
    tool="hotel_booking__sign_registration",
    arguments={"booking_id": "BK-6"},
    deed="sign the form for Casa Azul on my phone",
    request="sign the form for Casa Azul on your phone",
    verbs=("sign",),
    things=("form", "phone"),
)


def acts(text, *numbers):
    return StructuredReply({"reply": text, "is_done": False, "actions": list(numbers)})


def test_the_user_takes_the_action_that_it_is_asked_for(answer):
    said, user, requests = answer(
        acts("", 1), question="Could you tap the confirmation for Casa Azul?", actions=(SIGN,)
    )

    assert (said.actions, said.text, said.fault, user.faults) == ((SIGN,), "", "", {})
    assert "1. sign the form for Casa Azul on my phone" in requests[0].last_user
    assert "BK-6" not in requests[0].last_user


def test_asked_for_a_fact_and_an_action_it_gives_both(answer):
    said, _, _ = answer(acts("I arrive on 2026-03-04.", 1), actions=(SIGN,))
    assert (said.actions, said.text) == ((SIGN,), "I arrive on 2026-03-04.")


def test_with_actions_alone_a_model_is_asked_too(answer):
    said, _, requests = answer(acts("Sure."), disclosures=(), actions=(SIGN,))
    assert (said, len(requests)) == (UserReply(NOTHING_TO_ADD), 1)


@pytest.mark.parametrize(
    ("question", "number", "fault"),
    [
        ("Could you tap it?", 2, "does_what_it_cannot"),
        ("I have booked the room.", 1, "does_something_unasked"),
    ],
)
def test_doing_what_it_cannot_or_was_not_asked_for_breaks_the_brief(
    answer, question, number, fault
):
    replies = (acts("", number), acts("", number))
    said, user, _ = answer(*replies, question=question, actions=(SIGN,))
    assert (said.fault, said.actions, user.faults) == (fault, (), {fault: 2})


def test_thanks_for_a_report_that_names_a_fact_end_the_turn(answer):
    said, user, _ = answer(says("Great, thanks!"), question="I set the check in, as you wished.")

    assert (said.is_done, said.fault, user.faults) == (True, "", {})
