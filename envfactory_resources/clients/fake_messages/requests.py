"""A received request, read the way a test wants to look at it."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from envfactory_resources.clients.language_model.reply import JsonObject
from envfactory_resources.clients.language_model.wire_request import ROLE_HEADER


@dataclass(frozen=True)
class ReceivedRequest:
    """One request that had the right shape."""

    number: int
    """Counts from 1 in order of arrival, retries included."""
    headers: Mapping[str, str]
    """By lower-case name."""
    body: JsonObject

    @property
    def role(self) -> str:
        """The role the client asked for, or an empty text."""
        return self.headers.get(ROLE_HEADER, "")

    @property
    def system(self) -> str:
        """The system text, blocks joined."""
        return text_of(self.body.get("system", ""))

    @property
    def messages(self) -> list[JsonObject]:
        """The messages as sent."""
        messages = self.body["messages"]
        listed = messages if isinstance(messages, list) else []
        return [message for message in listed if isinstance(message, dict)]

    @property
    def last_user(self) -> str:
        """The text of the last user message, tool results included."""
        spoken = [message for message in self.messages if message.get("role") == "user"]
        return text_of(spoken[-1].get("content", "")) if spoken else ""

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools offered, in order."""
        tools = self.body.get("tools", [])
        listed = tools if isinstance(tools, list) else []
        return [str(tool["name"]) for tool in listed if isinstance(tool, dict)]

    @property
    def forced_tool(self) -> str | None:
        """The name of the tool the model must call, if the request forces one."""
        choice = self.body.get("tool_choice")
        if isinstance(choice, dict) and choice.get("type") == "tool":
            return str(choice["name"])
        return None

    @property
    def asks_native_output(self) -> bool:
        """Whether the request asks for structured output without a tool."""
        config = self.body.get("output_config")
        return isinstance(config, dict) and "format" in config


def text_of(content: JsonValue) -> str:
    """Return all text in a message content: a text, or blocks and the blocks inside them."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [
        text_of(block.get("text") or block.get("content") or "")
        for block in content
        if isinstance(block, dict)
    ]
    return "\n".join(text for text in texts if text)
