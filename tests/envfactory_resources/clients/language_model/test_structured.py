from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel, field_validator

from envfactory_resources.clients.fake_messages.replies import (
    StructuredReply,
    TextReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    OutputModelError,
    TruncatedReplyError,
)
from envfactory_resources.clients.language_model.request import StructuredMode

ASK = [{"role": "user", "content": "Rate this."}]
BOTH_MODES = pytest.mark.parametrize("mode", list(StructuredMode))


class Reason(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str
    weight: int = Field(ge=0, le=5)


class Verdict(BaseModel):
    """A rating with its reasons."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    label: Literal["good", "bad"]
    reasons: tuple[Reason, ...] = ()
    note: str | None = None


class Reasons(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    label: Literal["good", "bad"]
    reasons: list[Reason]
    note: str | None = None


class FreeForm(BaseModel):
    arguments: dict[str, JsonValue]


class Tree(BaseModel):
    class Node(BaseModel):
        children: list["Tree.Node"]

    root: Node


VALUE = {"label": "good", "reasons": [{"text": "short", "weight": 2}], "note": None}


@BOTH_MODES
def test_a_structured_output_is_read_in_either_mode(connect, mode):
    with FakeMessages([ScriptLine(StructuredReply(VALUE), role="judge")]) as fake:
        model = connect(fake, structured_mode=mode)
        verdict, usage = model.structured("judge", "Rate.", ASK, Reasons, max_tokens=50)

    assert verdict == Reasons(label="good", reasons=[Reason(text="short", weight=2)])
    assert usage.output_tokens > 0
    asked_natively = fake.requests[0].asks_native_output
    assert asked_natively == (mode is StructuredMode.NATIVE)
    assert fake.requests[0].forced_tool == (None if asked_natively else "hand_in")


def test_a_compatible_server_is_asked_by_a_forced_tool_unless_told_otherwise(connect):
    with FakeMessages([ScriptLine(StructuredReply(VALUE))]) as fake:
        verdict, _ = connect(fake).structured("judge", "", ASK, Verdict, max_tokens=50)

    assert verdict.reasons == (Reason(text="short", weight=2),)
    (tool,) = fake.requests[0].body["tools"]
    assert tool["input_schema"]["description"] == "A rating with its reasons."


@pytest.mark.parametrize(
    ("output", "value"),
    [
        (FreeForm, {"arguments": {"city": "Paris"}}),
        (Tree, {"root": {"children": [{"children": []}]}}),
    ],
)
def test_a_schema_that_native_output_cannot_say_goes_by_the_tool(connect, output, value):
    with FakeMessages([ScriptLine(StructuredReply(value))]) as fake:
        model = connect(fake, structured_mode=StructuredMode.NATIVE)
        read, _ = model.structured("labeller", "", ASK, output, max_tokens=50)

    assert read == output.model_validate(value)
    assert fake.requests[0].forced_tool == "hand_in"


@BOTH_MODES
def test_an_output_that_does_not_fit_names_the_fields_and_what_came(connect, mode):
    wrong = {"label": "fair", "reasons": [{"text": "x", "weight": 9}]}
    with FakeMessages([ScriptLine(StructuredReply(wrong))]) as fake:
        model = connect(fake, structured_mode=mode)
        with pytest.raises(MalformedReplyError) as caught:
            model.structured("judge", "", ASK, Reasons, max_tokens=50)

    message = str(caught.value)
    assert message.startswith("Role 'judge': the reply is no 'Reasons': label: Input should be")
    assert "reasons.0.weight: Input should be less than or equal to 5; got '{" in message
    assert "errors.pydantic.dev" not in message
    assert caught.value.usage.output_tokens > 0


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (StructuredMode.NATIVE, "the whole: Invalid JSON"),
        (StructuredMode.FORCED_TOOL, "answered in text where it must call the tool 'hand_in'"),
    ],
)
def test_a_text_in_place_of_the_output_is_malformed(connect, mode, said):
    with FakeMessages([ScriptLine(TextReply('{"label": "go'))]) as fake:
        model = connect(fake, structured_mode=mode)
        with pytest.raises(MalformedReplyError, match=said):
            model.structured("judge", "", ASK, Reasons, max_tokens=50)


@BOTH_MODES
def test_a_truncated_output_is_reported_as_truncated_and_not_as_malformed(connect, mode):
    with FakeMessages([ScriptLine(TruncatedReply('{"label": "go'))]) as fake:
        model = connect(fake, structured_mode=mode)
        with pytest.raises(TruncatedReplyError):
            model.structured("judge", "", ASK, Reasons, max_tokens=9)


def test_an_output_that_is_no_object_is_refused_before_anything_is_sent(connect):
    class Names(RootModel[list[str]]):
        pass

    with (
        FakeMessages([]) as fake,
        pytest.raises(OutputModelError, match="'Names' is not an object"),
    ):
        connect(fake).structured("judge", "", ASK, Names, max_tokens=9)

    assert fake.requests == []


def test_a_kept_output_that_no_longer_fits_is_asked_for_again(connect):
    allowed = {"ada"}

    class Person(BaseModel):
        name: str

        @field_validator("name")
        @classmethod
        def is_allowed(cls, name: str) -> str:
            if name not in allowed:
                raise ValueError(f"must be one of {allowed}")
            return name

    script = [ScriptLine(StructuredReply({"name": name})) for name in ("ada", "Ada")]
    with FakeMessages(script) as fake:
        model = connect(fake)
        model.structured("coder", "", ASK, Person, max_tokens=9)
        allowed.add("Ada")
        allowed.remove("ada")
        answers = [model.structured("coder", "", ASK, Person, max_tokens=9) for _ in range(2)]

    assert [(person.name, usage.from_cache) for person, usage in answers] == [
        ("Ada", False),
        ("Ada", True),
    ]
