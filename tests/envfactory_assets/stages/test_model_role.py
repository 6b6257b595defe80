import pytest
from pydantic import BaseModel

from envfactory_assets.stages.model_role import SECOND_TRY, ModelRole
from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    StructuredReply,
    TextReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import RequestRejectedError


class Names(BaseModel):
    names: list[str]


@pytest.fixture
def prompt(tmp_path):
    path = tmp_path / "prompt.txt"
    path.write_text("You name things.", encoding="utf-8")
    return path


@pytest.fixture
def ask_for(prompt):
    """Make an `ask` that has every named item answered by its length."""

    def make(role):
        def ask(items, note):
            question = f"{', '.join(items)}. {note}"
            named = role.ask(prompt, question, Names).names
            return {item: len(item) for item in named if item in items}

        return ask

    return make


def test_what_is_left_out_is_asked_about_once_more_and_nothing_else(model_at, ask_for):
    script = [
        ScriptLine(StructuredReply({"names": ["one", "stranger"]}), last_user="one, three, four"),
        ScriptLine(StructuredReply({"names": ["three"]}), last_user=f"three, four. {SECOND_TRY}"),
    ]
    with FakeMessages(script) as fake:
        role = ModelRole(model_at(fake), "namer")
        found = role.ask_about(["one", "three", "four"], ask_for(role))

    assert found == {"one": 3, "three": 5}
    assert fake.unplayed == []
    assert fake.requests[0].role == "namer"
    assert fake.requests[0].system == "You name things."


def test_a_useless_reply_counts_as_no_answer_and_is_paid_for(model_at, ask_for):
    script = [
        ScriptLine(TextReply("I would rather not.")),
        ScriptLine(StructuredReply({"names": ["one"]})),
    ]
    with FakeMessages(script) as fake:
        role = ModelRole(model_at(fake), "namer")
        assert role.ask_about(["one"], ask_for(role)) == {"one": 3}

    usage = role.model.ledger.by_role()["namer"]
    assert (usage.call_count, usage.failed_call_count) == (2, 1)


def test_a_request_that_fails_ends_the_run_and_names_the_role(model_at, ask_for):
    with FakeMessages([ScriptLine(ErrorReply(400))]) as fake:
        role = ModelRole(model_at(fake), "namer")
        with pytest.raises(RequestRejectedError, match="Role 'namer'"):
            role.ask_about(["one"], ask_for(role))


def test_an_overloaded_endpoint_is_asked_again_by_the_client(model_at, ask_for):
    script = [ScriptLine(ErrorReply(529)), ScriptLine(StructuredReply({"names": ["one"]}))]
    with FakeMessages(script) as fake:
        role = ModelRole(model_at(fake), "namer")
        assert role.ask_about(["one"], ask_for(role)) == {"one": 3}

    assert role.model.ledger.by_role()["namer"].attempt_count == 2
