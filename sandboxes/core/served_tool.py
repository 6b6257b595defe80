"""Tools as FastMCP serves them: one object derived from each declared `Tool`."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from fastmcp import exceptions as fastmcp_exceptions
from fastmcp import tools as fastmcp_tools
from mcp_types import TextContent, ToolAnnotations
from pydantic import JsonValue, PrivateAttr

from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import EnvironmentFaultError, SandboxError
from sandboxes.core.parameters import JsonObject
from sandboxes.core.session import CallRecord
from sandboxes.core.tool import Tool

Answer = Callable[[str, Mapping[str, JsonValue]], CallRecord]

_LOG = logging.getLogger(__name__)


class ServedTool(fastmcp_tools.Tool):
    """One tool on the wire: FastMCP lists the declared schemas and leaves the checking to us."""

    _answer: Answer = PrivateAttr()

    @classmethod
    def of(cls, tool: Tool, answer: Answer) -> "ServedTool":
        """Derive the served tool.

        Args:
            tool: The declaration.
            answer: What carries out a call, given the wire name and the arguments.
        """
        served = cls(
            name=tool.wire_name,
            title=tool.name.replace("_", " ").capitalize(),
            description=tool.description,
            parameters=tool.input_schema,
            output_schema=tool.output_schema,
            annotations=ToolAnnotations(
                read_only_hint=tool.effect == "read", open_world_hint=False
            ),
        )
        served._answer = answer
        return served

    async def run(self, arguments: dict[str, Any]) -> fastmcp_tools.ToolResult:
        """Carry out a call that FastMCP received."""
        return answer_call(self._answer, self.name, arguments)


def answer_call(
    answer: Answer, tool: str, arguments: Mapping[str, JsonValue]
) -> fastmcp_tools.ToolResult:
    """Carry out a call and return its result, or its refusal as one plain sentence.

    This is the boundary to the client: of an error that is nobody's refusal it learns that the
    tool failed, and the log gets one line without a traceback.

    Raises:
        fastmcp.exceptions.ToolError: If the environment, or this server, is at fault.
    """
    try:
        record = answer(tool, arguments)
    except Exception as error:
        if isinstance(error, SandboxError) and not isinstance(error, EnvironmentFaultError):
            return refusal(str(error))
        raise fastmcp_exceptions.ToolError(
            fault_sentence(tool, error), log_level=logging.DEBUG
        ) from error
    if record.error is not None:
        return refusal(record.error)
    return fastmcp_tools.ToolResult(
        content=[TextContent(type="text", text=record.reply())],
        structured_content=record.result,
    )


def fault_sentence(tool: str, error: Exception) -> str:
    """Log what went wrong inside the server, in one line, and return what a client is told."""
    _LOG.error("%s: %s", type(error).__name__, " ".join(str(error).split()))
    return f"{tool} failed inside the server and changed nothing; the call is not at fault."


def refusal(sentence: str) -> fastmcp_tools.ToolResult:
    """Return the result that tells a client why its call was refused."""
    return fastmcp_tools.ToolResult(
        content=[TextContent(type="text", text=sentence)], is_error=True
    )


def mcp_input_schemas(environment: type[AnyEnvironment]) -> dict[str, JsonObject]:
    """Return the input schema that a client is shown for every tool, by wire name.

    It is read off the objects that FastMCP lists, so that it can be compared with what the tools
    declare; no server runs for it.
    """
    return {
        tool.wire_name: dict(ServedTool.of(tool, _never).to_mcp_tool().input_schema)
        for tool in environment.tools.values()
    }


def _never(tool: str, arguments: Mapping[str, JsonValue]) -> CallRecord:
    raise AssertionError(f"{tool} was called with {dict(arguments)!r} while schemas were read.")
