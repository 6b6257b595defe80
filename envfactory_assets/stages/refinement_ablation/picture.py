# pyright: reportUnknownMemberType=false
# matplotlib is only partly typed.
"""The picture of the ablation: one panel a measure, both arms by domain with their intervals."""

import io
from collections.abc import Sequence

from envfactory_assets.records.refinement_ablation import RefinementMeasure
from envfactory_assets.stages.refinement_ablation.comparing import ARMS

_COLORS = {"unrefined": "#b8c4d6", "refined": "#2f5d8c"}
_HEIGHT = 0.38


def draw_ablation(rows: Sequence[RefinementMeasure]) -> bytes:
    """Return a PNG of every measure: domains one below the other, all of them on top."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    measures = list(dict.fromkeys(row.measure for row in rows))
    domains = list(dict.fromkeys(row.domain for row in rows))
    figure = Figure(figsize=(3.2 * len(measures), 1.4 + 0.45 * len(domains)), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for axes, measure in zip(panels, measures, strict=True):
        for number, arm in enumerate(ARMS):
            own = [row for row in rows if (row.measure, row.arm) == (measure, arm)]
            axes.barh(
                [domains.index(row.domain) + (number - 0.5) * _HEIGHT for row in own],
                [row.value for row in own],
                _HEIGHT,
                xerr=[
                    [max(0.0, row.value - row.low) for row in own],
                    [max(0.0, row.high - row.value) for row in own],
                ],
                color=_COLORS[arm],
                ecolor="#444444",
                label=arm,
            )
        axes.set_title(measure, fontsize=9)
        axes.set_xlim(left=0)
    panels[0].set_yticks(range(len(domains)), domains)
    panels[0].invert_yaxis()
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2)
    buffer = io.BytesIO()
    canvas.print_png(buffer)
    return buffer.getvalue()
