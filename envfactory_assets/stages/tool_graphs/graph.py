"""The rows as an igraph graph: tools and parameters as vertices, GraphML as the exchange format."""

import random
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from envfactory_assets.records.tool_graphs import ToolGraphEdge, ToolParameter

if TYPE_CHECKING:
    import igraph

GraphEdge = tuple[str, str, str, str, str]
"""Names of source and target vertex, kind, origin, reason."""


class _Untyped(Protocol):
    """The parts of igraph used here that carry no types of their own."""

    def write_graphml(self, f: str) -> None: ...


class _RandomNumbers(Protocol):
    def set_random_number_generator(self, generator: object) -> None: ...


def build_graph(
    edges: Sequence[ToolGraphEdge], parameters: Sequence[ToolParameter]
) -> "igraph.Graph":
    """Return the kept edges as a directed graph.

    Vertices are tools (`kind` "tool") and their leaves ("input", "output"), named by wire name
    and by `wire name < input` or `wire name > output`. Edges (`kind`): an input "enters" its tool,
    a tool "yields" its outputs, an output "feeds" an input, a tool "precedes" another.

    Args:
        edges: Rows of the tool graph; pruned ones are left out.
        parameters: Rows of the same tools.
    """
    # Imported here: igraph loads matplotlib, and loading definitions must not pay for it.
    import igraph

    tools = sorted({row.tool: row for row in parameters}.items())
    leaves = sorted(parameters, key=lambda row: (row.tool, row.direction, row.parameter))
    names = [name for name, _ in tools]
    names += [leaf_name(row.tool, row.parameter, row.direction) for row in leaves]
    rows = [row for _, row in tools] + leaves
    place = {name: index for index, name in enumerate(names)}
    kept = sorted((edge for edge in edges if edge.kept), key=_edge_order)
    joined = [_own_edge(row) for row in leaves] + [_graph_edge(edge) for edge in kept]
    return igraph.Graph(
        n=len(names),
        edges=[(place[source], place[target]) for source, target, *_ in joined],
        directed=True,
        vertex_attrs={
            "name": names,
            "kind": ["tool"] * len(tools) + [row.direction for row in leaves],
            "tool": [row.tool for row in rows],
            "environment_id": [row.environment_id for row in rows],
            "effect": [row.effect for row in rows],
            "parameter": [""] * len(tools) + [row.parameter for row in leaves],
            "type": [""] * len(tools) + [row.type for row in leaves],
            "source": [""] * len(tools) + [row.source or "" for row in leaves],
        },
        edge_attrs={
            name: [edge[field] for edge in joined]
            for field, name in enumerate(("kind", "origin", "reason"), start=2)
        },
    )


def leaf_name(tool: str, path: str, direction: str) -> str:
    """Return the name of a leaf's vertex."""
    return f"{tool} {'<' if direction == 'input' else '>'} {path}"


def graphml(graph: "igraph.Graph") -> bytes:
    """Return a graph as GraphML; equal graphs give equal bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.graphml"
        cast("_Untyped", graph).write_graphml(str(path))
        return path.read_bytes()


@contextmanager
def igraph_chance(seed: int) -> Generator[None]:
    """Let igraph draw from a seeded generator for a while, instead of from the global one."""
    import igraph

    module = cast("_RandomNumbers", igraph)
    module.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        module.set_random_number_generator(random)


def _own_edge(row: ToolParameter) -> GraphEdge:
    leaf = leaf_name(row.tool, row.parameter, row.direction)
    if row.direction == "input":
        return leaf, row.tool, "enters", "schema", row.reason
    return row.tool, leaf, "yields", "schema", ""


def _graph_edge(edge: ToolGraphEdge) -> GraphEdge:
    if edge.kind == "precedes":
        return edge.source_tool, edge.target_tool, edge.kind, edge.origin, edge.reason
    source = leaf_name(edge.source_tool, edge.source_parameter, "output")
    target = leaf_name(edge.target_tool, edge.target_parameter, "input")
    return source, target, edge.kind, edge.origin, edge.reason


def _edge_order(edge: ToolGraphEdge) -> tuple[str, ...]:
    return (
        edge.kind,
        edge.source_tool,
        edge.source_parameter,
        edge.target_tool,
        edge.target_parameter,
    )
