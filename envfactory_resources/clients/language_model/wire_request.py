"""Sending a request through the SDK's `messages.create`."""

from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from envfactory_resources.clients.language_model.reply import JsonObject
from envfactory_resources.clients.language_model.request import (
    ModelRequest,
    PromptCache,
    StructuredMode,
)
from envfactory_resources.clients.language_model.structured_output import FORCED_TOOL, forced_tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anthropic import Anthropic, APIResponse, Omit
    from anthropic.types import (
        Message,
        MessageParam,
        OutputConfigParam,
        TextBlockParam,
        ToolChoiceParam,
        ToolUnionParam,
    )

ROLE_HEADER = "x-envfactory-role"
"""Names the asking role to gateways and to the fake endpoint; it decides no answer."""


def send(
    client: "Anthropic", request: ModelRequest, *, role: str, prompt_cache: PromptCache
) -> "APIResponse[Message]":
    """Send a request and return the unparsed response.

    Args:
        client: The SDK client.
        request: What to ask.
        role: Who asks.
        prompt_cache: What the endpoint's prompt cache may keep.
    """
    from anthropic import omit

    tools, tool_choice = _tools(request)
    # The SDK has no argument for the sampling parameters.
    extra_body = dict(request.extra_body)
    if request.temperature is not None:
        extra_body["temperature"] = request.temperature
    return client.messages.with_raw_response.create(
        model=request.model,
        max_tokens=request.max_tokens,
        system=_system(request.system, prompt_cache),
        messages=cast("Iterable[MessageParam]", request.messages),
        tools=cast("Iterable[ToolUnionParam]", tools) if tools else omit,
        tool_choice=cast("ToolChoiceParam", tool_choice) if tool_choice else omit,
        output_config=_output_config(request),
        cache_control={"type": "ephemeral"} if prompt_cache == "conversation" else omit,
        extra_headers={ROLE_HEADER: role},
        extra_body=extra_body or None,
    )


def _tools(request: ModelRequest) -> tuple[tuple[JsonObject, ...], JsonObject | None]:
    if request.output_schema is None or request.output_mode is not StructuredMode.FORCED_TOOL:
        return request.tools, request.tool_choice
    choice: JsonObject = {"type": "tool", "name": FORCED_TOOL}
    return (*request.tools, forced_tool(request.output_schema)), choice


def _system(system: str, prompt_cache: PromptCache) -> "str | list[TextBlockParam] | Omit":
    from anthropic import omit

    if not system:
        return omit
    if prompt_cache == "off":
        return system
    return [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]


def _output_config(request: ModelRequest) -> "OutputConfigParam | Omit":
    from anthropic import omit, transform_schema

    if request.output_schema is None or request.output_mode is not StructuredMode.NATIVE:
        return omit
    schema: dict[str, JsonValue] = transform_schema(request.output_schema)
    return {"format": {"type": "json_schema", "schema": cast("dict[str, object]", schema)}}
