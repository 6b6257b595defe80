"""Counts that say whether a tool graph is usable."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.tool_graphs import ToolGraphEdge, ToolParameter


class GraphStatistics(BaseModel):
    """What a tool graph holds, and where it has holes.

    Attributes:
        tools: Number of tools.
        inputs: Number of input leaves.
        outputs: Number of output leaves.
        feeds_kept: Feeds that chains may use.
        feeds_pruned: Similarity edges that the review refused.
        feeds_added: Feeds that the review added.
        precedences: Pairs of tools in order without a feed.
        components: Groups of tools that no edge joins to each other.
        inputs_without_producer: Required internal inputs that no tool gives, as `tool: path`.
        unreachable_tools: Tools that no chain can call, since an input cannot be had.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tools: int
    inputs: int
    outputs: int
    feeds_kept: int
    feeds_pruned: int
    feeds_added: int
    precedences: int
    components: int
    inputs_without_producer: tuple[str, ...]
    unreachable_tools: tuple[str, ...]


def graph_statistics(
    edges: Sequence[ToolGraphEdge], parameters: Sequence[ToolParameter]
) -> GraphStatistics:
    """Count what a tool graph holds."""
    tools = sorted({row.tool for row in parameters})
    feeds = [edge for edge in edges if edge.kind == "feeds"]
    kept = [edge for edge in feeds if edge.kept]
    needs = _needs(parameters, kept)
    return GraphStatistics(
        tools=len(tools),
        inputs=sum(row.direction == "input" for row in parameters),
        outputs=sum(row.direction == "output" for row in parameters),
        feeds_kept=len(kept),
        feeds_pruned=len(feeds) - len(kept),
        feeds_added=sum(edge.origin == "review" for edge in kept),
        precedences=sum(edge.kind == "precedes" and edge.kept for edge in edges),
        components=_count_components(tools, [edge for edge in edges if edge.kept]),
        inputs_without_producer=tuple(
            f"{tool}: {path}" for (tool, path), producers in needs.items() if not producers
        ),
        unreachable_tools=tuple(_unreachable(tools, needs)),
    )


def _needs(
    parameters: Sequence[ToolParameter], feeds: Sequence[ToolGraphEdge]
) -> dict[tuple[str, str], set[str]]:
    """Return the other tools that give each required internal input."""
    needs: dict[tuple[str, str], set[str]] = {
        (row.tool, row.parameter): set()
        for row in sorted(parameters, key=lambda row: (row.tool, row.parameter))
        if row.direction == "input" and row.required and row.source == "internal"
    }
    for edge in feeds:
        key = (edge.target_tool, edge.target_parameter)
        if key in needs and edge.source_tool != edge.target_tool:
            needs[key].add(edge.source_tool)
    return needs


def _unreachable(tools: Sequence[str], needs: dict[tuple[str, str], set[str]]) -> list[str]:
    reachable: set[str] = set()
    while True:
        found = {
            tool
            for tool in tools
            if tool not in reachable
            and all(
                producers & reachable
                for (needing, _), producers in needs.items()
                if needing == tool
            )
        }
        if not found:
            return [tool for tool in tools if tool not in reachable]
        reachable |= found


def _count_components(tools: Sequence[str], edges: Sequence[ToolGraphEdge]) -> int:
    leader = {tool: tool for tool in tools}

    def find(tool: str) -> str:
        while leader[tool] != tool:
            tool = leader[tool]
        return tool

    for edge in edges:
        leader[find(edge.source_tool)] = find(edge.target_tool)
    return len({find(tool) for tool in tools})
