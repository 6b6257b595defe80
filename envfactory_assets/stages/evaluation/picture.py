# pyright: reportUnknownMemberType=false
# matplotlib is only partly typed.
"""The picture of an evaluation: reward and pass@k with intervals, and what went wrong."""

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from envfactory_assets.records.training import EvaluationRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Value = Callable[[EvaluationRow], tuple[float | None, float | None, float | None]]


def draw_evaluation(rows: Sequence[EvaluationRow]) -> bytes:
    """Return a PNG: reward and pass@k by split, reward by domain and difficulty, error classes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6.4), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots(2, 2)
    whole = [row for row in rows if row.slice_by == "all"]
    cut = [row for row in rows if row.slice_by in ("domain", "difficulty")]
    wrong = [row for row in rows if row.slice_by == "error_class"]
    k = rows[0].k if rows else 1
    _bars(axes[0][0], whole, "reward by split", _reward, by_split=True)
    _bars(axes[0][1], whole, f"pass@{k} by split", _pass_k, by_split=True)
    _bars(axes[1][0], cut, "reward by domain and difficulty", _reward)
    _bars(axes[1][1], wrong, "share of attempts by what went wrong", _share)
    if whole:
        axes[0][0].legend(fontsize="small")
    buffer = io.BytesIO()
    canvas.print_png(buffer)
    return buffer.getvalue()


def _reward(row: EvaluationRow) -> tuple[float | None, float | None, float | None]:
    return row.reward, row.reward_low, row.reward_high


def _pass_k(row: EvaluationRow) -> tuple[float | None, float | None, float | None]:
    return row.pass_k, row.pass_k_low, row.pass_k_high


def _share(row: EvaluationRow) -> tuple[float | None, float | None, float | None]:
    return row.share, row.share_low, row.share_high


def _bars(
    axes: "Axes",
    rows: Sequence[EvaluationRow],
    title: str,
    value: _Value,
    *,
    by_split: bool = False,
) -> None:
    """Draw one bar a stage and group, with its interval."""
    names = list(dict.fromkeys(row.split if by_split else row.slice for row in rows))
    stages = list(dict.fromkeys(row.stage for row in rows))
    width = 0.8 / max(len(stages), 1)
    for number, stage in enumerate(stages):
        places: list[float] = []
        heights: list[float] = []
        below: list[float] = []
        above: list[float] = []
        for row in rows:
            middle, low, high = value(row)
            if row.stage != stage or middle is None or low is None or high is None:
                continue
            places.append(names.index(row.split if by_split else row.slice) + number * width)
            heights.append(middle)
            below.append(max(0.0, middle - low))
            above.append(max(0.0, high - middle))
        label = stage.replace("_", " ")
        axes.bar(places, heights, width, yerr=[below, above], capsize=2, label=label)
    centred = [place + width * (len(stages) - 1) / 2 for place in range(len(names))]
    axes.set_xticks(centred, [name.replace("_", " ") for name in names], rotation=30, ha="right")
    axes.set_ylim(0, 1)
    axes.set_title(title, fontsize="medium")
