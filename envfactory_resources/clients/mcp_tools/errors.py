"""Errors of asking an MCP server.

McpToolsError
├── McpAddressError       what to ask is not said, or said twice
├── McpUnavailableError   the server does not start, does not answer as one, or refuses
└── McpTimeoutError       the server has not answered in time
"""


class McpToolsError(Exception):
    """Anything that keeps a server's tools from being listed."""


class McpAddressError(McpToolsError):
    """What to ask is not said, or said twice, or is no address."""


class McpUnavailableError(McpToolsError):
    """The server does not start, does not speak the protocol, or refuses."""


class McpTimeoutError(McpToolsError):
    """The server has not answered in time; a started one is stopped."""
