"""Tools and leaves as text that a model reads."""

from collections.abc import Iterable

from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf


def describe_tool(tool: GraphTool) -> str:
    """Return one line about a tool."""
    return f"{tool.tool} ({tool.effect}): {tool.description}"


def describe_leaf(leaf: Leaf) -> str:
    """Return one line about a leaf."""
    optional = "" if leaf.required else ", optional"
    choices = f" One of: {', '.join(leaf.enum)}." if leaf.enum else ""
    return f"{leaf.path} ({leaf.type}{optional}): {leaf.description}{choices}"


def bullets(lines: Iterable[str], indent: str = "") -> str:
    """Return lines as a list."""
    return "\n".join(f"{indent}- {line}" for line in lines)
