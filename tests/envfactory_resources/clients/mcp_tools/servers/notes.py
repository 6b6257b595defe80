"""A small MCP server: notes, over its standard streams."""

import os

from fastmcp import FastMCP

server = FastMCP("notes", instructions="Keeps short notes.")


@server.tool(annotations={"readOnlyHint": True})
def get_note(note_id: str) -> str:
    """Return one note."""
    return note_id


@server.tool(description=",".join(sorted(os.environ)))
def list_variables() -> list[str]:
    """Replaced by the names of the variables that the server sees."""
    return []


if __name__ == "__main__":
    server.run(transport="stdio", show_banner=False, log_level="ERROR")
