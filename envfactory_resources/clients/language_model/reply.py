"""What a model answered, and how to answer it in turn."""

import json
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue

from envfactory_resources.clients.language_model.usage import Usage

JsonObject: TypeAlias = dict[str, JsonValue]

StopReason = Literal[
    "end_turn",
    "tool_use",
    "stop_sequence",
    "pause_turn",
    "max_tokens",
    "model_context_window_exceeded",
    "refusal",
]


class RequestedCall(BaseModel):
    """A tool call that the model asks for; `call_id` joins it to its result."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    call_id: str
    tool: str
    arguments: JsonObject


class Reply(BaseModel):
    """One complete answer of a model."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: str
    """The model that answered, as the endpoint names it."""
    content: tuple[JsonObject, ...]
    """The content blocks as they came, thinking included."""
    stop_reason: StopReason
    usage: Usage

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        texts = (block.get("text") for block in self.content if block.get("type") == "text")
        return "".join(text for text in texts if isinstance(text, str))

    @property
    def requested_calls(self) -> tuple[RequestedCall, ...]:
        """The tool calls the model asks for, in order."""
        return tuple(
            RequestedCall.model_validate_json(
                json.dumps(
                    {
                        "call_id": block.get("id"),
                        "tool": block.get("name"),
                        "arguments": block.get("input"),
                    }
                )
            )
            for block in self.content
            if block.get("type") == "tool_use"
        )

    def as_message(self) -> JsonObject:
        """Return the assistant message that continues the conversation."""
        return {"role": "assistant", "content": list(self.content)}


def tool_result(call_id: str, text: str, *, is_error: bool = False) -> JsonObject:
    """Return the content block that answers a requested call.

    Args:
        call_id: The `call_id` of the requested call.
        text: The result, or the plain sentence that says why there is none.
        is_error: Whether the call was refused.
    """
    block: JsonObject = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return {**block, "is_error": True} if is_error else block


def user_message(*blocks: JsonObject | str) -> JsonObject:
    """Return a user message of texts and tool results."""
    content: list[JsonValue] = [
        {"type": "text", "text": block} if isinstance(block, str) else block for block in blocks
    ]
    return {"role": "user", "content": content}
