# pyright: reportUnknownMemberType=false
# matplotlib is only partly typed.
"""The picture of how the tasks to train on are distributed, before and after sampling."""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.stages.datasets.distribution import MEASURES
from envfactory_assets.stages.datasets.selection import OVER_TARGET, Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIFFICULTIES = ("easy", "medium", "hard")
_BEFORE, _AFTER, _TARGET = "#b8c4d6", "#2f5d8c", "#c0392b"


def draw_distribution(rows: Sequence[DatasetTask], comparisons: Sequence[Comparison]) -> bytes:
    """Return a PNG: one panel for every measure, and one for the difficulties."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    named = {item.name: item for item in comparisons}
    stay = [row for row in rows if row.kept and row.split == "train"]
    left_out = [row for row in rows if row.drop_reason == OVER_TARGET]
    figure = Figure(figsize=(13, 3.0), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(MEASURES) + 1, sharey=True)
    for axes, measure in zip(panels, MEASURES, strict=False):
        values = [
            [round(measure.amount(row) / measure.per(row), 1) for row in some]
            for some in (stay + left_out, stay)
        ]
        top = max([1.0, *values[0]])
        bins = [top * step / 10 for step in range(11)]
        labels = (f"as sampled, n = {len(values[0])}", f"in the dataset, n = {len(values[1])}")
        if values[0]:
            axes.hist(values, bins, color=(_BEFORE, _AFTER), label=labels)
        compared = named[measure.name]
        axes.axvline(compared.after, color=_AFTER, linestyle="--", label="mean in the dataset")
        if compared.target is not None:
            axes.axvline(compared.target, color=_TARGET, label="target")
        axes.set_xlabel(measure.name)
    panels[0].set_ylabel("tasks to train on")
    _draw_difficulties(panels[-1], stay + left_out, stay, named)
    handles, names = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, names, loc="outside upper center", ncols=4)
    buffer = io.BytesIO()
    canvas.print_png(buffer)
    return buffer.getvalue()


def _draw_difficulties(
    axes: "Axes",
    before: Sequence[DatasetTask],
    after: Sequence[DatasetTask],
    named: Mapping[str, Comparison],
) -> None:
    counts = [Counter(row.difficulty for row in some) for some in (before, after)]
    for shift, color, count in zip((-0.2, 0.2), (_BEFORE, _AFTER), counts, strict=True):
        places = [place + shift for place in range(len(_DIFFICULTIES))]
        axes.bar(places, [count[name] for name in _DIFFICULTIES], 0.4, color=color)
    for place, name in enumerate(_DIFFICULTIES):
        target = named[f"share of {name} tasks"].target
        if target is not None:
            axes.hlines(target * len(after), place - 0.45, place + 0.45, color=_TARGET)
    axes.set_xticks(range(len(_DIFFICULTIES)), _DIFFICULTIES)
    axes.set_xlabel("difficulty")
