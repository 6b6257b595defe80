"""Whether the real endpoint would take a request; what it would not take fails here too."""

import json
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PositiveInt, ValidationError

from envfactory_resources.clients.fake_messages.errors import RequestShapeError
from envfactory_resources.clients.language_model.reply import JsonObject

_NAME = r"^[a-zA-Z0-9_-]{1,128}$"


class _Block(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    type: str


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    role: Literal["user", "assistant"]
    content: Annotated[str, Field(min_length=1)] | Annotated[list[_Block], Field(min_length=1)]


class _Tool(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    name: str = Field(pattern=_NAME)
    type: str = "custom"
    description: str = ""
    input_schema: JsonObject | None = None


class _Request(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    model: str = Field(min_length=1)
    max_tokens: PositiveInt
    messages: list[_Message] = Field(min_length=1)
    system: str | list[_Block] = ""
    tools: list[_Tool] = []
    tool_choice: JsonObject | None = None
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    stream: Literal[False] = False


def check_request(body: JsonValue) -> JsonObject:
    """Return the body of a request if it has the right shape.

    Args:
        body: The parsed JSON body.

    Raises:
        RequestShapeError: If the real endpoint would not take it; the message names the place.
    """
    if not isinstance(body, dict):
        raise RequestShapeError("body: must be a JSON object")
    try:
        request = _Request.model_validate(body)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, fault["loc"])) or "body"
        raise RequestShapeError(f"{place}: {fault['msg']}") from error
    _check_turns(request.messages)
    _check_tools(request)
    return body


def _check_turns(messages: list[_Message]) -> None:
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        expected = "user" if index % 2 == 0 else "assistant"
        if message.role != expected:
            raise RequestShapeError(
                f"messages.{index}.role: got {message.role!r}, expected {expected!r}: "
                "roles alternate, the user first"
            )
        answered = _ids(message, "tool_result", "tool_use_id")
        if answered != open_calls:
            raise RequestShapeError(
                f"messages.{index}.content: tool results for {sorted(answered)}, but the message "
                f"before calls {sorted(open_calls)}"
            )
        open_calls = _ids(message, "tool_use", "id")


def _ids(message: _Message, block_type: str, key: str) -> set[str]:
    if isinstance(message.content, str):
        return set()
    blocks = [block.model_dump() for block in message.content if block.type == block_type]
    return {str(block.get(key)) for block in blocks}


def _check_tools(request: _Request) -> None:
    names = [tool.name for tool in request.tools]
    if len(names) != len(set(names)):
        raise RequestShapeError(f"tools: names must be unique, got {names}")
    for tool in request.tools:
        # Tools of another type run at the endpoint, which knows their schema.
        if tool.type == "custom":
            _check_schema(tool)
    wanted = (request.tool_choice or {}).get("name")
    if wanted is not None and wanted not in names:
        raise RequestShapeError(f"tool_choice: {wanted!r} is none of the tools {names}")


def _check_schema(tool: _Tool) -> None:
    schema = tool.input_schema or {}
    if schema.get("type") != "object":
        raise RequestShapeError(
            f"tools.{tool.name}.input_schema.type: got {schema.get('type')!r}, expected 'object'"
        )
    fault = _schema_fault(json.dumps(schema, sort_keys=True))
    if fault:
        raise RequestShapeError(f"tools.{tool.name}.input_schema: {fault}")


@lru_cache(maxsize=1024)
def _schema_fault(schema_text: str) -> str:
    """Return what is wrong with a JSON schema; the same tools come with every request."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(json.loads(schema_text))
    except SchemaError as error:
        return f"{error.message} at {error.json_path}"
    return ""
