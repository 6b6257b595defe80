# pyright: reportUnknownMemberType=false
# matplotlib is only partly typed.
"""The picture of a training job: its metrics over the train steps."""

import io
from collections.abc import Sequence
from typing import cast

from envfactory_assets.records.record import JsonObject


def draw_curve(metrics: Sequence[JsonObject], names: Sequence[str], title: str) -> bytes:
    """Return a PNG of some metrics over the train steps; a metric nobody logged is left out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots()
    for name in names:
        logged = [row for row in metrics if name in row]
        if logged:
            axes.plot(_numbers(logged, "step"), _numbers(logged, name), label=name)
    axes.set_xlabel("train step")
    axes.set_title(title)
    axes.legend()
    buffer = io.BytesIO()
    canvas.print_png(buffer)
    return buffer.getvalue()


def _numbers(rows: Sequence[JsonObject], name: str) -> list[float]:
    return [float(cast("float", row[name])) for row in rows]
