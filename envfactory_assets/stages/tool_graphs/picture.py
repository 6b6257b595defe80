"""A picture of a tool graph: tools by effect, feeds and precedences between them."""

# matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from envfactory_assets.records.tool_graphs import ToolGraphEdge, ToolParameter
from envfactory_assets.stages.tool_graphs.graph import igraph_chance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]

_EFFECT_COLOURS = {"read": "#2f6db3", "write": "#c8553d"}
_EDGE_COLOURS = {"feeds": "#7a8796", "precedes": "#d9a227"}
_DOTS_PER_INCH = 110
_CURVE_POINTS = 24
_BEND = 0.16
_GAP_ACROSS, _GAP_UP = 0.06, 0.032


class _Layouts(Protocol):
    """The part of igraph used here that carries no types of its own."""

    def layout_kamada_kawai(self) -> Sequence[Sequence[float]]: ...


def draw_tool_graph(
    edges: Sequence[ToolGraphEdge],
    parameters: Sequence[ToolParameter],
    title: str,
    seed: int = 0,
) -> bytes:
    """Return a PNG of the kept edges; equal rows give equal bytes.

    Args:
        edges: Rows of the tool graph; pruned ones are not drawn.
        parameters: Rows of the same tools.
        title: What stands above it.
        seed: What the layout is drawn from.
    """
    # Imported here: loading Dagster definitions must not pay for matplotlib.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    effects = {row.tool: row.effect for row in sorted(parameters, key=lambda row: row.tool)}
    pairs = sorted({(edge.source_tool, edge.target_tool, edge.kind) for edge in edges if edge.kept})
    points = _lay_out(list(effects), pairs, seed)
    width = 9.0 + 0.12 * len(effects)
    figure = Figure(figsize=(width, width * 0.72), layout="constrained")
    axes = figure.add_subplot()
    for kind in ("precedes", "feeds"):
        lines = [
            _curve(points[source], points[target])
            for source, target, edge_kind in pairs
            if edge_kind == kind and source != target
        ]
        _draw_lines(axes, lines, kind)
    _draw_tools(axes, points, effects)
    _draw_legend(axes, title)
    buffer = io.BytesIO()
    FigureCanvasAgg(figure).print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


def _lay_out(
    tools: Sequence[str], pairs: Sequence[tuple[str, str, str]], seed: int
) -> dict[str, Point]:
    import igraph

    if not tools:
        return {}
    place = {tool: index for index, tool in enumerate(tools)}
    joined = sorted({(place[source], place[target]) for source, target, _ in pairs})
    with igraph_chance(seed):
        graph = igraph.Graph(n=len(tools), edges=joined)
        found = cast("_Layouts", graph).layout_kamada_kawai()
    raw = [(float(point[0]), float(point[1])) for point in found]
    return dict(zip(tools, _normalised(raw), strict=True))


def _normalised(points: Sequence[Point]) -> list[Point]:
    """Scale points into the unit square."""
    scaled: list[list[float]] = []
    for axis in range(2):
        values = [point[axis] for point in points]
        low, span = min(values), (max(values) - min(values)) or 1.0
        scaled.append([(value - low) / span for value in values])
    return list(zip(*scaled, strict=True))


def _curve(source: Point, target: Point) -> list[Point]:
    """Return a bent line between two tools that stops short of both."""
    (x0, y0), (x1, y1) = source, target
    dx, dy = x1 - x0, y1 - y0
    middle = ((x0 + x1) / 2 - dy * _BEND, (y0 + y1) / 2 + dx * _BEND)
    margin = min(1 / max(abs(dx) / _GAP_ACROSS, abs(dy) / _GAP_UP, 3.0), 0.3)
    steps = [
        margin + (1 - 2 * margin) * index / (_CURVE_POINTS - 1) for index in range(_CURVE_POINTS)
    ]
    return [
        (
            (1 - t) ** 2 * x0 + 2 * t * (1 - t) * middle[0] + t**2 * x1,
            (1 - t) ** 2 * y0 + 2 * t * (1 - t) * middle[1] + t**2 * y1,
        )
        for t in steps
    ]


def _draw_lines(axes: "Axes", lines: Sequence[list[Point]], kind: str) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    colour = _EDGE_COLOURS[kind]
    style = "solid" if kind == "feeds" else (0, (4, 3))
    axes.add_collection(
        LineCollection(lines, colors=colour, linewidths=0.9, alpha=0.75, linestyles=style)
    )
    heads = [_arrow_head(line[-2], line[-1]) for line in lines]
    axes.add_collection(PolyCollection(heads, facecolors=colour, edgecolors="none"))


def _arrow_head(before: Point, tip: Point) -> list[Point]:
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = math.hypot(dx, dy) or 1.0
    ux, uy = dx / length * 0.016, dy / length * 0.016
    back = (tip[0] - ux, tip[1] - uy)
    return [
        tip,
        (back[0] - uy * 0.45, back[1] + ux * 0.45),
        (back[0] + uy * 0.45, back[1] - ux * 0.45),
    ]


def _draw_tools(axes: "Axes", points: dict[str, Point], effects: dict[str, str]) -> None:
    environments = {tool.split("__")[0] for tool in effects}
    for tool, (x, y) in points.items():
        name = tool if len(environments) > 1 else tool.split("__", 1)[-1]
        axes.text(
            x,
            y,
            name.replace("__", "\n").replace("_", " "),
            ha="center",
            va="center",
            fontsize=8.5,
            color="white",
            zorder=5,
            bbox={
                "boxstyle": "round,pad=0.35",
                "facecolor": _EFFECT_COLOURS[effects[tool]],
                "edgecolor": "white",
            },
        )


def _draw_legend(axes: "Axes", title: str) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    axes.set_title(title, fontsize=12, loc="left")
    axes.set_xlim(-0.1, 1.1)
    axes.set_ylim(-0.08, 1.08)
    axes.set_axis_off()
    axes.legend(
        handles=[
            *(Patch(color=colour, label=effect) for effect, colour in _EFFECT_COLOURS.items()),
            Line2D([], [], color=_EDGE_COLOURS["feeds"], label="feeds"),
            Line2D([], [], color=_EDGE_COLOURS["precedes"], linestyle="--", label="precedes"),
        ],
        loc="lower left",
        ncols=4,
        frameon=False,
        fontsize=9,
    )
