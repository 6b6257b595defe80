"""What only the user can do: recognised, carried out when asked, and only then."""

import pytest

from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.simulated_user import NOTHING_TO_ADD, RuleUser
from envfactory_assets.stages.trajectories.user_actions import (
    DID_NOT_WORK,
    actions_asked_for,
    planned_actions,
    request_for,
)
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario

HOTEL = "travel.hotel_booking"
BOOK = {
    "room_id": "RM-5",
    "guest_name": "Noor Haddad",
    "check_in": "2026-12-01",
    "check_out": "2026-12-04",
}
OTHER = {**BOOK, "check_in": "2026-12-10", "check_out": "2026-12-12"}
ASK = "Could you please sign the registration form on your phone?"


@pytest.fixture(scope="module")
def hotel():
    return Catalog.discover().restricted_to([HOTEL])


@pytest.fixture(scope="module")
def scenario(hotel):
    return Scenario.draw(hotel, [HOTEL], 0)


def planned(step, tool, arguments, *, actor="agent", provenance=()):
    return {
        "step": step,
        "tool": f"hotel_booking__{tool}",
        "effect": "write",
        "arguments": arguments,
        "provenance": provenance,
        "actor": actor,
    }


def from_booking(step, text):
    return (
        {
            "path": "booking_id",
            "value": f"BK-{6 + step}",
            "source": "result",
            "required": True,
            "source_step": step,
            "source_path": "booking_id",
            "referents": ({"kind": "label", "text": text},),
            "noun": "booking",
        },
    )


@pytest.fixture(scope="module")
def query(scenario):
    """One turn: book twice, and have the user sign both forms."""
    text = "Book the room twice and let me know when to sign."
    return RefinedQuery(
        query_id="t/0",
        task_id="t",
        chain_id="c",
        domain="travel",
        environment_ids=(HOTEL,),
        turn=0,
        draft_text=text,
        persona="Ana Brandt",
        plan="book, sign",
        calls=(
            planned(0, "book_room", BOOK),
            planned(1, "book_room", OTHER),
            planned(
                2,
                "sign_registration",
                {"booking_id": "BK-6"},
                actor="user",
                provenance=from_booking(0, "the first booking"),
            ),
            planned(
                3,
                "sign_registration",
                {"booking_id": "BK-7"},
                actor="user",
                provenance=from_booking(1, "the second booking"),
            ),
        ),
        scenario=scenario.model_dump(mode="json"),
        end_state_hash="",
        seed=0,
        made_by="test",
        refined_text=text,
        operations=(),
        disclosures=(),
    )


@pytest.fixture(scope="module")
def actions(query, hotel):
    (found,) = planned_actions([query], hotel).values()
    return found


@pytest.fixture
def conversation(scenario, hotel, actions):
    begun = Conversation.begin(scenario, hotel, "Ana Brandt", RuleUser(), {0: actions})
    begun.hear("Book the room and let me know when to sign.", ())
    return begun


def bookings(conversation):
    return conversation.session.states()[HOTEL]["bookings"]


def test_an_action_is_known_by_the_words_of_the_tool(actions):
    first = actions[0]
    assert first.deed == "sign the registration form for the first booking on my phone"
    assert (first.verbs, first.things) == (("sign",), ("registration", "form", "phone"))
    assert request_for(first) == (
        "Could you please sign the registration form for the first booking on your phone?"
    )


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        (ASK, [2]),
        ("Please sign the form for the second booking.", [3]),
        ("Would you mind signing the forms of the first booking and the second booking?", [2, 3]),
        ("The form is not signed yet.", []),
        ("Which sign hangs over the door?", []),
        ("Could you tell me the form of address?", []),
    ],
)
def test_only_what_a_message_asks_for_is_recognised(actions, message, steps):
    assert [action.step for action in actions_asked_for(message, actions)] == steps


def test_only_the_phrasing_is_turned_to_the_user_and_no_name(query, hotel):
    renamed = [call.model_dump() for call in query.calls]
    renamed[2]["provenance"] = from_booking(0, "the 'With me' booking")
    calls = tuple(type(query.calls[0]).model_validate(call) for call in renamed)
    (actions,) = planned_actions([query.model_copy(update={"calls": calls})], hotel).values()
    assert request_for(actions[0]) == (
        "Could you please sign the registration form for the 'With me' booking on your phone?"
    )


def test_tasks_without_the_users_steps_plan_none(query, hotel):
    alone = query.model_copy(update={"calls": query.calls[:2]})
    assert planned_actions([alone], hotel) == {}


def test_the_user_acts_when_asked_and_says_what_it_did_without_ids(conversation):
    conversation.call("hotel_booking__book_room", BOOK)
    answer = conversation.ask(ASK)

    assert answer is not None
    assert answer.startswith("Done, I signed the registration form for the first booking")
    assert "BK-" not in answer
    assert bookings(conversation)["BK-6"]["is_signed"]
    assert conversation.calls[-1].as_json()["actor"] == "user"
    assert conversation.messages[-1]["actions"] == [
        {
            "tool": "hotel_booking__sign_registration",
            "arguments": {"booking_id": "BK-6"},
            "ok": True,
        }
    ]


def test_the_user_does_nothing_unasked(conversation):
    conversation.call("hotel_booking__book_room", BOOK)
    before = conversation.session.snapshot()

    assert conversation.ask("I have booked the room.") is None
    assert conversation.ask("Which day suits you?") == NOTHING_TO_ADD
    assert conversation.session.snapshot() == before


def test_asked_too_early_the_user_cannot_and_can_later(conversation):
    early = conversation.ask(ASK)
    assert early is not None
    assert early.endswith(DID_NOT_WORK)
    assert not conversation.calls

    conversation.call("hotel_booking__book_room", BOOK)
    conversation.ask(ASK)
    assert bookings(conversation)["BK-6"]["is_signed"]


def test_each_step_is_done_once(conversation):
    conversation.call("hotel_booking__book_room", BOOK)
    conversation.ask(ASK)
    again = conversation.ask(ASK)

    assert again is not None
    assert again.endswith(DID_NOT_WORK)  # The form of the second booking, which is not made yet.
    assert [call.record.actor for call in conversation.calls] == ["agent", "user"]


def test_the_user_finds_what_the_agent_made_under_whatever_id(conversation):
    conversation.call("hotel_booking__book_room", OTHER)
    conversation.call("hotel_booking__book_room", BOOK)
    conversation.ask("Please sign the form of the first booking.")

    signed = {key for key, booking in bookings(conversation).items() if booking["is_signed"]}
    assert "BK-7" in signed
    assert "BK-6" not in signed


def test_calls_of_the_agent_are_numbered_without_the_users(conversation):
    conversation.call("hotel_booking__book_room", BOOK)
    conversation.ask(ASK)
    conversation.call("hotel_booking__get_booking", {"booking_id": "BK-6"})
    assert conversation.messages[-1]["tool_call_id"] == "call_1"


def test_what_the_environment_refuses_the_user_reports_in_plain_words(conversation):
    conversation.call("hotel_booking__book_room", BOOK)
    conversation.call("hotel_booking__cancel_booking", {"booking_id": "BK-6"})
    answer = conversation.ask(ASK)

    assert answer is not None
    assert answer.endswith(DID_NOT_WORK)
    assert "BK-" not in answer
    assert not conversation.calls[-1].record.ok
