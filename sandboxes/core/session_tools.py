"""What a client does with sessions: open one, read its states, close it.

Declared like the tools of an environment, so that schemas and refusals come from one place. They
are reached as MCP tools and as HTTP routes (`session_routes`).
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, JsonValue

from sandboxes.core.errors import EnvironmentFaultError, SandboxError, ToolError
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord
from sandboxes.core.session_registry import SessionRegistry
from sandboxes.core.tool import Result, mark_of, tool

_Handle = Annotated[str, Field(description="Handle of the session")]


class OpenedSession(Result):
    """A new session."""

    session: str = Field(description="Handle to address the session by")
    path: str = Field(description="Path at which an HTTP server serves this session alone")
    environments: list[str] = Field(description="Environments of the session")


class SessionStates(Result):
    """Where a session stands."""

    states: dict[str, dict[str, JsonValue]] = Field(description="State of every environment by id")
    call_count: int = Field(description="Number of calls made so far")


class SessionTools:
    """The tools that open, show and close the sessions of one registry."""

    def __init__(self, registry: SessionRegistry) -> None:
        """Work on a registry."""
        self._registry = registry

    def call(self, wire_name: str, arguments: Mapping[str, JsonValue]) -> CallRecord:
        """Run one of these tools by its wire name (`sessions__open`).

        Raises:
            SandboxError: If the call is refused, with one plain sentence.
            EnvironmentFaultError: If an environment could not draw its scenario.
        """
        called = SESSION_TOOLS[wire_name]
        bound = called.bind(arguments)
        try:
            result = called.call(self, bound)
        except SandboxError:
            raise
        except Exception as error:
            raise EnvironmentFaultError(
                f"{wire_name} met {type(error).__name__}: {error}; a scenario draws without errors."
            ) from error
        return CallRecord(
            wire_name, arguments, called.effect, dict(arguments), ok=True, result=result, error=None
        )

    @tool(effect="write")
    def open(
        self,
        seed: Annotated[
            int | None, Field(description="Seed to draw the scenario from, without a scenario")
        ] = None,
        scenario: Annotated[
            Scenario | None, Field(description="Scenario to start from, instead of a seed")
        ] = None,
    ) -> OpenedSession:
        """Open a session and return the handle that addresses it."""
        if seed is not None and scenario is not None:
            raise ToolError("Give a seed or a scenario, not both.")
        if scenario is None:
            scenario = self._registry.draw(seed)
        handle = self._registry.open(scenario)
        return OpenedSession(
            session=handle, path=f"/sessions/{handle}/mcp", environments=list(scenario.states)
        )

    @tool(effect="read")
    def states(self, session: _Handle) -> SessionStates:
        """Show the states of a session as they stand."""
        live = self._registry.find(session)
        return SessionStates(states=live.states(), call_count=live.call_count)

    @tool(effect="write")
    def close(self, session: _Handle) -> SessionStates:
        """Close a session and show its end states."""
        live = self._registry.find(session)
        return SessionStates(states=self._registry.close(session), call_count=live.call_count)


SESSION_TOOLS = {
    declared.wire_name: declared
    for declared in (
        MethodTool("sessions", name, attribute)
        for name, attribute in vars(SessionTools).items()
        if mark_of(attribute) is not None
    )
}
