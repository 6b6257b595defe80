"""What is asked of a model, and the key under which the answer is kept."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue, PositiveInt

from envfactory_resources.clients.language_model.reply import JsonObject
from sandboxes.core.canonical import content_hash

PromptCache = Literal["off", "system", "conversation"]
"""What the endpoint's prompt cache may keep: nothing, tools and system text, or all of it."""


class StructuredMode(StrEnum):
    """How a structured output is asked for."""

    NATIVE = "native"
    """By the endpoint's own structured output."""
    FORCED_TOOL = "forced_tool"
    """By one tool that the model must call; works on any server that knows tools."""


class ModelRequest(BaseModel):
    """All that decides an answer: model, words, tools, parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: str
    system: str
    messages: tuple[JsonObject, ...]
    max_tokens: PositiveInt
    temperature: float | None = None
    tools: tuple[JsonObject, ...] = ()
    tool_choice: JsonObject | None = None
    extra_body: JsonObject = {}
    output_schema: JsonObject | None = None
    output_mode: StructuredMode | None = None
    sample_index: int = 0
    """Tells several answers to one question apart; it is not sent."""

    def cache_key(self) -> str:
        """Return the content hash; a new field with its default leaves old keys alone."""
        asked: JsonValue = self.model_dump(mode="json", exclude_defaults=True)
        return content_hash(asked)
