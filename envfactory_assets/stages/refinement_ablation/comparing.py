"""Both arms of the ablation as rows: the same tasks, refined and as drafted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.records.refinement_ablation import Arm, RefinementMeasure
from envfactory_assets.stages.queries.unrefined import unrefined
from envfactory_assets.stages.refinement_ablation.intervals import mean_over_turns, wilson
from envfactory_assets.stages.refinement_ablation.measuring import TaskMeasure, measure_task
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from sandboxes.core.catalog import Catalog

EVERYWHERE = "all"
CLARIFIED = "share of turns needing a clarification"
UNASKED = "share of tasks solved without asking"
IMPLICIT = "implicit references a turn"
LENGTH = "words a turn"
ARMS: tuple[Arm, ...] = ("unrefined", "refined")


@dataclass(frozen=True, slots=True)
class _Measure:
    name: str
    value: Callable[[TaskMeasure], float]
    is_share: bool
    is_of_tasks: bool = False


_MEASURES = (
    _Measure(CLARIFIED, lambda task: task.clarified, is_share=True),
    _Measure(UNASKED, lambda task: task.is_solved_unasked, is_share=True, is_of_tasks=True),
    _Measure(IMPLICIT, lambda task: task.implicit, is_share=False),
    _Measure(LENGTH, lambda task: task.words, is_share=False),
)


def compare_refinement(
    queries: Sequence[RefinedQuery], catalog: Catalog, settings: TrajectorySettings
) -> list[RefinementMeasure]:
    """Return every measure of both arms, over all domains first and then by domain."""
    tasks = [list(turns) for _, turns in groupby(queries, key=lambda query: query.task_id)]
    measured: dict[Arm, list[TaskMeasure]] = {
        "unrefined": [
            measure_task([unrefined(turn) for turn in turns], catalog, settings) for turns in tasks
        ],
        "refined": [measure_task(turns, catalog, settings) for turns in tasks],
    }
    domains = sorted({turns[0].domain for turns in tasks})
    return [
        _row(measure, arm, domain, own, settings.seed)
        for domain in (EVERYWHERE, *domains)
        for measure in _MEASURES
        for arm in ARMS
        for own in [[task for task in measured[arm] if domain in (EVERYWHERE, task.domain)]]
    ]


def _row(
    measure: _Measure, arm: Arm, domain: str, tasks: Sequence[TaskMeasure], seed: int
) -> RefinementMeasure:
    sums = [float(measure.value(task)) for task in tasks]
    turns = [task.turns for task in tasks]
    count = len(tasks) if measure.is_of_tasks else sum(turns)
    if measure.is_share:
        low, high = wilson(round(sum(sums)), count)
    else:
        low, high = mean_over_turns(sums, turns, seed)
    return RefinementMeasure(
        arm=arm,
        domain=domain,
        measure=measure.name,
        task_count=len(tasks),
        turn_count=sum(turns),
        value=sum(sums) / count,
        low=low,
        high=high,
    )
