import json

import pytest

from envfactory_assets.records.queries import Disclosure
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.simulated_user import RuleUser

CITY = Disclosure(step=0, path="city", topic="city", value="Oslo", answer="Oslo, please.")


@pytest.fixture
def conversation(shelf, shelf_scenario):
    return Conversation.begin(shelf_scenario, shelf, "Ana Brandt", RuleUser())


def test_a_conversation_begins_with_whom_it_is_for_and_when(conversation):
    (system,) = conversation.messages

    assert system["role"] == "system"
    assert "Ana Brandt" in system["content"]
    assert "2026-11-24 08:45" in system["content"]


def test_a_call_and_its_result_are_messages_that_belong_together(conversation):
    conversation.hear("Add a vase.", ())
    conversation.call("shelf__add_item", {"title": "Vase"})
    conversation.call("shelf__add_item", {})

    (first, result, second, refusal) = conversation.messages[2:]
    assert first["tool_calls"][0]["function"] == {
        "name": "shelf__add_item",
        "arguments": '{"title":"Vase"}',
    }
    assert json.loads(result["content"]) == {"item_id": "IT-3", "title": "Vase"}
    assert [item["tool_call_id"] for item in (result, refusal)] == ["call_0", "call_1"]
    assert second["tool_calls"][0]["id"] == "call_1"
    assert "error" in json.loads(refusal["content"])


def test_the_user_discloses_only_what_belongs_to_the_turn(conversation):
    conversation.hear("Find a hotel.", (CITY,))
    assert conversation.ask("Could you tell me the city?") == "Oslo, please."
    conversation.hear("Now book it.", ())
    assert "Oslo" not in conversation.ask("Could you tell me the city?")
    assert conversation.turn == 1


def test_what_was_heard_is_what_the_user_said(conversation):
    conversation.hear("Find a hotel.", (CITY,))
    conversation.tell("I am on it.")
    conversation.ask("Could you tell me the city?")

    assert conversation.heard() == "Find a hotel.\nOslo, please."
