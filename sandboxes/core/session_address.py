"""Which session a call of an MCP client means.

The protocol keeps no session of its own, so a call names one: by the `_meta` key
`envfactory/session` (any transport), else by the HTTP header `x-envfactory-session`, which the path
`/sessions/<handle>/mcp` sets.
"""

from collections.abc import Collection, Mapping

from fastmcp.server.dependencies import get_context, get_http_headers
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import ToolResult
from mcp_types import CallToolRequestParams
from pydantic import JsonValue

from sandboxes.core.errors import SessionClosedError
from sandboxes.core.served_tool import answer_call
from sandboxes.core.session import CallRecord
from sandboxes.core.session_registry import LiveSession, SessionRegistry
from sandboxes.core.session_routes import SESSION_HEADER

SESSION_META_KEY = "envfactory/session"


class AddressedCalls:
    """Carries out the calls of MCP clients, each in the session that it names."""

    def __init__(self, registry: SessionRegistry, default: LiveSession | None) -> None:
        """Look sessions up in a registry.

        Args:
            registry: The sessions that a call can name.
            default: The session of calls that name none; they are refused when None.
        """
        self._registry = registry
        self._default = default

    def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> CallRecord:
        """Run a tool as `Session.call` does.

        Raises:
            SessionClosedError: If no open session is named.
            EnvironmentFaultError: If the environment broke its contract.
        """
        handle = _named_session()
        if handle is not None:
            return self._registry.find(handle).call(tool, arguments)
        if self._default is not None:
            return self._default.call(tool, arguments)
        raise SessionClosedError(
            "The call names no session; open one (POST /sessions) and call it at "
            f"/sessions/<handle>/mcp, or send its handle as header {SESSION_HEADER!r} or as "
            f"_meta key {SESSION_META_KEY!r}."
        )


class UnknownToolCalls(Middleware):
    """Lets the session answer calls of tools that the server does not have.

    So they get the same sentence as a direct call, and stand in the session's log.
    """

    def __init__(self, known: Collection[str], calls: AddressedCalls) -> None:
        """Pass on the calls of known tools only."""
        self._known = frozenset(known)
        self._calls = calls

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Pass a call on, or answer it."""
        name = context.message.name
        if name in self._known:
            return await call_next(context)
        return answer_call(self._calls.call, name, context.message.arguments or {})


def _named_session() -> str | None:
    request = get_context().request_context
    meta = (request.meta if request is not None else None) or {}
    named = meta.get(SESSION_META_KEY)
    return get_http_headers().get(SESSION_HEADER) if named is None else str(named)
