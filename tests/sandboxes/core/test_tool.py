import math

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import EnvironmentSourceError, ToolError
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.tool import Result, tool

ADD = {
    "title": "Tidy up",
    "author": {"email": "a@example.com"},
    "start": "2026-03-02",
    "due": "2026-03-05",
    "remind_at": "2026-03-04T09:00",
}


@pytest.fixture
def add_note(notes: Catalog) -> MethodTool:
    return notes.load("office.notes").methods["add_note"]


def test_defaults_are_filled_in(add_note: MethodTool) -> None:
    bound = add_note.bind(ADD).model_dump()
    assert (bound["priority"], bound["kind"], bound["author"]["nickname"]) == (5, "plain", None)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"priority": "5"}, "Argument 'priority' of notes__add_note should be a valid integer"),
        ({"priority": 5.0}, "Argument 'priority' of notes__add_note should be a valid integer"),
        ({"is_pinned": 1}, "Argument 'is_pinned' of notes__add_note should be a valid boolean"),
        ({"priority": 10}, "should be less than or equal to 9, got 10."),
        ({"kind": "table"}, "should be 'plain' or 'list', got 'table'."),
        ({"due": "soon"}, "Argument 'due' of notes__add_note must be a date like 2026-03-02"),
        ({"colour": "red"}, "Unknown argument 'colour' of notes__add_note; allowed: title, author"),
        ({"author": {}}, "Missing required argument 'author.email' of notes__add_note."),
        (
            {"steps": [{"text": "Call"}, {"text": "Write", "minutes": 1}]},
            "Argument 'steps.1.minutes' of notes__add_note should be greater than or equal to 5",
        ),
        ({"title": ""}, "'title' of notes__add_note should have at least 1 character, got ''."),
        ({"steps": [{"text": "Call"}]}, "'steps' of notes__add_note should have at least 2 items"),
        ({"weight": math.nan}, "Argument 'weight' of notes__add_note should be"),
    ],
)
def test_a_wrong_argument_is_refused_in_a_plain_sentence(
    add_note: MethodTool, change: dict, sentence: str
) -> None:
    with pytest.raises(ToolError) as refusal:
        add_note.bind({**ADD, **change})
    assert sentence in str(refusal.value)
    assert "pydantic" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_argument_is_named(add_note: MethodTool) -> None:
    with pytest.raises(ToolError, match="Missing required argument 'title' of notes__add_note"):
        add_note.bind({key: value for key, value in ADD.items() if key != "title"})


def test_the_schema_that_a_model_sees_stands_on_its_own(add_note: MethodTool) -> None:
    function = add_note.as_function()["function"]
    assert function["name"] == "notes__add_note"
    assert function["description"] == "Add a note."
    schema = function["parameters"]
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["title", "author", "start", "due", "remind_at"]
    assert schema["properties"]["author"]["properties"]["email"]["description"]
    assert "$ref" not in str(schema)


def test_a_tool_that_returns_no_result_model_is_refused() -> None:
    @tool(effect="read")
    def ping(_self) -> str:
        return "pong"

    with pytest.raises(EnvironmentSourceError, match=r"tests__ping returns .*subclass of Result"):
        MethodTool("tests", "ping", ping)


def test_a_parameter_without_a_type_is_refused() -> None:
    @tool(effect="read")
    def ping(_self, host) -> Result:
        del host
        return Result()

    with pytest.raises(EnvironmentSourceError, match="'host' of tests__ping has no type hint"):
        MethodTool("tests", "ping", ping)


def test_a_method_that_is_not_marked_is_no_tool() -> None:
    def ping(_self) -> Result:
        return Result()

    with pytest.raises(EnvironmentSourceError, match="not marked with @tool"):
        MethodTool("tests", "ping", ping)
