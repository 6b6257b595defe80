"""Distribution targets: tasks are left out until the averages of the rest are what is asked for.

Every target is a sum over tasks that shall be zero: a mean of calls a turn is met when the calls
less the target times the turns add up to nothing. Tasks go a few at a time, those first whose going
brings the sums nearest to zero together, so nothing is drawn by chance and nothing is repeated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.stages.datasets.settings import DistributionTargets

_Numbers = NDArray[np.float64]
_ROUNDS = 400


@dataclass(frozen=True, slots=True)
class Measure:
    """One average over tasks: a sum over a sum.

    Attributes:
        name: What it is called in reports.
        amount: What is added up.
        per: What it is divided by.
    """

    name: str
    amount: Callable[[DatasetTask], float]
    per: Callable[[DatasetTask], float]

    def of(self, tasks: Sequence[DatasetTask]) -> float:
        """Return the average; 0 over no tasks."""
        whole = sum(map(self.per, tasks))
        return sum(map(self.amount, tasks)) / whole if whole else 0.0


MEASURES: tuple[Measure, ...] = (
    Measure("turns a task", lambda task: task.turns, lambda _: 1),
    Measure("steps a turn", lambda task: task.steps, lambda task: task.turns),
    Measure("tool calls a turn", lambda task: task.tool_calls, lambda task: task.turns),
    Measure(
        "user interactions a turn", lambda task: task.user_interactions, lambda task: task.turns
    ),
)


@dataclass(frozen=True, slots=True)
class Aim:
    """A measure with what it shall be and how far off still counts."""

    measure: Measure
    target: float
    allowed: float


def aims_of(targets: DistributionTargets) -> list[Aim]:
    """Return the averages that are asked for."""
    asked = (
        targets.turns,
        targets.steps_per_turn,
        targets.calls_per_turn,
        targets.user_interactions_per_turn,
    )
    means = [
        Aim(measure, target, targets.tolerance * max(target, targets.tolerance))
        for measure, target in zip(MEASURES, asked, strict=True)
        if target is not None
    ]
    shares = [
        Aim(difficulty_measure(name), share, targets.tolerance)
        for name, share in sorted(targets.difficulty.items())
    ]
    return means + shares


def difficulty_measure(difficulty: str) -> Measure:
    """Return the share of the tasks of one difficulty."""
    return Measure(
        f"share of {difficulty} tasks",
        lambda task: float(task.difficulty == difficulty),
        lambda _: 1,
    )


def chosen_for(tasks: Sequence[DatasetTask], targets: DistributionTargets) -> set[str]:
    """Return the ids of the tasks that stay; the same for the same tasks in any order.

    It ends when every target is met, when leaving out more would not bring them nearer, or when
    only `least_share` of the tasks is left.
    """
    aims = aims_of(targets)
    left = sorted(tasks, key=lambda task: task.task_id)
    if not aims or not left:
        return {task.task_id for task in left}
    amounts = np.array([[aim.measure.amount(task) for aim in aims] for task in left], dtype=float)
    wholes = np.array([[aim.measure.per(task) for aim in aims] for task in left], dtype=float)
    goal = np.array([aim.target for aim in aims])
    allowed = np.array([aim.allowed for aim in aims])
    stays = np.arange(len(left))
    least = max(1, round(targets.least_share * len(left)))
    while len(stays) > least:
        off = _distances(amounts[stays].sum(0)[None], wholes[stays].sum(0)[None], goal, allowed)[0]
        without = _distances(
            amounts[stays].sum(0) - amounts[stays],
            wholes[stays].sum(0) - wholes[stays],
            goal,
            allowed,
        )
        batch = min(max(1, len(stays) // _ROUNDS), len(stays) - least)
        order = np.argsort(without, kind="stable")
        if off <= 0.0 or without[order[0]] >= off:
            break
        stays = np.delete(stays, order[:batch])
    return {left[place].task_id for place in stays}


def _distances(amounts: _Numbers, wholes: _Numbers, goal: _Numbers, allowed: _Numbers) -> _Numbers:
    """Return how far off averages are, rows at a time: what is within the tolerance is not off."""
    off = np.abs(amounts / np.maximum(wholes, 1e-9) - goal) / allowed
    return (np.maximum(0.0, off - 1.0) ** 2).sum(1)
