"""A tool graph in the shape the samplers walk: numbered tools, inputs with their feeders."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter

UNREACHABLE = 1 << 30
"""The depth of a tool whose inputs nothing can give."""

_Feeders = dict[int, list[str]]


@dataclass(frozen=True, slots=True)
class Need:
    """One input leaf of a tool.

    Attributes:
        path: The input leaf.
        is_external: Whether the user can say it.
        feeders: The tools that can give it, each with the output leaves that do.
    """

    path: str
    is_external: bool
    feeders: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Successor:
    """A tool that sensibly follows another; the paths are empty when it is not fed by it."""

    tool: int
    source_path: str
    target_path: str


@dataclass(frozen=True, slots=True)
class CompiledTool:
    """One tool.

    Attributes:
        name: Wire name.
        domain: Its domain.
        environment_id: Its environment.
        writes: Whether its effect is `write`.
        required: Inputs that every call gives.
        optional: Inputs that a call may leave out, in groups that stand or fall together.
        successors: What may follow it.
    """

    name: str
    domain: str
    environment_id: str
    writes: bool
    required: tuple[Need, ...]
    optional: tuple[tuple[Need, ...], ...]
    successors: tuple[Successor, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A feed between tools of two domains."""

    source_tool: int
    source_path: str
    target_tool: int
    target_path: str


@dataclass(frozen=True, slots=True)
class CompiledGraph:
    """Tools in order of wire name, with the depth of prerequisites that each needs at least.

    Attributes:
        tools: The tools; everything else counts by their place here.
        depths: Least levels of prerequisites of each tool, or `UNREACHABLE`.
        links: Cross-domain feeds among these tools.
    """

    tools: tuple[CompiledTool, ...]
    depths: tuple[int, ...]
    links: tuple[Link, ...]

    @classmethod
    def compile(
        cls,
        parameters: Sequence[ToolParameter],
        edges: Sequence[ToolGraphEdge],
        links: Sequence[CrossDomainLink] = (),
    ) -> Self:
        """Compile the kept edges among the tools that have parameters.

        Rows may come in any order. Edges and links whose tools have no parameter rows are left
        out, so a caller decides by the rows it gives how far chains may reach.
        """
        rows: dict[str, list[ToolParameter]] = defaultdict(list)
        for row in parameters:
            rows[row.tool].append(row)
        names = sorted(rows)
        place = {name: index for index, name in enumerate(names)}
        usable = [
            edge
            for edge in (*edges, *links)
            if edge.kept and edge.source_tool in place and edge.target_tool in place
        ]
        feeders, followers = _adjacency(usable, place)
        tools = tuple(
            _compile_tool(rows[name], feeders[index], sorted(followers[index], key=_successor_key))
            for index, name in enumerate(names)
        )
        crossing = {
            Link(
                place[edge.source_tool],
                edge.source_parameter,
                place[edge.target_tool],
                edge.target_parameter,
            )
            for edge in usable
            if isinstance(edge, CrossDomainLink)
        }
        return cls(tools, _least_depths(tools), tuple(sorted(crossing, key=_link_key)))


def _adjacency(
    edges: Sequence[ToolGraphEdge | CrossDomainLink], place: dict[str, int]
) -> tuple[dict[int, dict[str, _Feeders]], dict[int, set[Successor]]]:
    feeders: dict[int, dict[str, _Feeders]] = defaultdict(lambda: defaultdict(dict))
    followers: dict[int, set[Successor]] = defaultdict(set)
    for edge in edges:
        source, target = place[edge.source_tool], place[edge.target_tool]
        followers[source].add(Successor(target, edge.source_parameter, edge.target_parameter))
        if edge.kind == "feeds":
            paths = feeders[target][edge.target_parameter].setdefault(source, [])
            paths.append(edge.source_parameter)
    return feeders, followers


def _compile_tool(
    rows: Sequence[ToolParameter], feeders: dict[str, _Feeders], successors: Sequence[Successor]
) -> CompiledTool:
    inputs = sorted(
        (row for row in rows if row.direction == "input"), key=lambda row: row.parameter
    )
    needs = {
        row.parameter: Need(
            path=row.parameter,
            is_external=row.source == "external",
            feeders={
                tool: tuple(sorted(set(paths)))
                for tool, paths in sorted(feeders[row.parameter].items())
            }
            if row.parameter in feeders
            else {},
        )
        for row in inputs
    }
    required = [row.parameter for row in inputs if row.required]
    optional = [row.parameter for row in inputs if not row.required]
    return CompiledTool(
        name=rows[0].tool,
        domain=rows[0].domain,
        environment_id=rows[0].environment_id,
        writes=rows[0].effect == "write",
        required=tuple(needs[path] for path in required),
        optional=tuple(
            tuple(needs[path] for path in group) for group in optional_groups(optional, required)
        ),
        successors=tuple(successors),
    )


def optional_groups(optional: Sequence[str], required: Sequence[str]) -> list[list[str]]:
    """Group optional leaves so that a group can be left out or given as a whole.

    Leaves of one optional object are given together, since some may be required within it;
    optional leaves beside required ones stand alone.
    """
    required_roots = {_root(path) for path in required}
    groups: dict[str, list[str]] = defaultdict(list)
    for path in optional:
        groups[path if _root(path) in required_roots else _root(path)].append(path)
    return [groups[key] for key in sorted(groups)]


def _root(path: str) -> str:
    return path.split(".")[0].split("[")[0].split("{")[0]


def _least_depths(tools: Sequence[CompiledTool]) -> tuple[int, ...]:
    depths = [UNREACHABLE] * len(tools)
    for _ in range(len(tools) + 1):
        changed = False
        for index, tool in enumerate(tools):
            depth = _least_depth(index, tool, depths)
            if depth < depths[index]:
                depths[index], changed = depth, True
        if not changed:
            break
    return tuple(depths)


def _least_depth(index: int, tool: CompiledTool, depths: Sequence[int]) -> int:
    deepest = 0
    for need in tool.required:
        if need.is_external:
            continue
        below = min(
            (depths[feeder] for feeder in need.feeders if feeder != index), default=UNREACHABLE
        )
        deepest = max(deepest, below + 1)
    return min(deepest, UNREACHABLE)


def _successor_key(successor: Successor) -> tuple[int, str, str]:
    return successor.tool, successor.source_path, successor.target_path


def _link_key(link: Link) -> tuple[int, str, int, str]:
    return link.source_tool, link.source_path, link.target_tool, link.target_path
