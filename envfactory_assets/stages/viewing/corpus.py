"""What one page shows: the rows of all tasks, grouped by task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envfactory_assets.records.queries import DraftQuery, RefinedQuery
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory


@dataclass(frozen=True, slots=True)
class Task:
    """Everything that was recorded of one task.

    Attributes:
        filtered: Its reference, or why there is none.
        turns: Its queries, draft and refined, in order.
        candidates: The attempts at it, in order.
        split: Which split of the datasets it is in; None when it is in none.
        writers: Which implementations of the writing roles drafted it.
    """

    filtered: FilteredTrajectory
    turns: Sequence[RefinedQuery]
    candidates: Sequence[CandidateTrajectory]
    split: str | None
    writers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """The rows of one dataset version and of what it was made from.

    Attributes:
        filtered: One row a task, the dropped ones too.
        candidates: All attempts.
        queries: All turns.
        drafts: The turns as first drafted: who made them; their texts are in the queries.
        splits: The split of each task that is in the dataset, by task id.
        title: What the page calls itself.
    """

    filtered: Sequence[FilteredTrajectory]
    candidates: Sequence[CandidateTrajectory] = ()
    queries: Sequence[RefinedQuery] = ()
    drafts: Sequence[DraftQuery] = ()
    splits: Mapping[str, str] = field(default_factory=dict[str, str])
    title: str = "Trajectories"

    def tasks(self) -> list[Task]:
        """Return the tasks, in order of task id."""
        turns: dict[str, list[RefinedQuery]] = {}
        for query in self.queries:
            turns.setdefault(query.task_id, []).append(query)
        candidates: dict[str, list[CandidateTrajectory]] = {}
        for row in self.candidates:
            candidates.setdefault(row.task_id, []).append(row)
        writers = {query.task_id: query.made_by for query in self.drafts}
        return [
            Task(
                filtered=row,
                turns=sorted(turns.get(row.task_id, ()), key=lambda query: query.turn),
                candidates=candidates.get(row.task_id, ()),
                split=self.splits.get(row.task_id),
                writers=[writers[row.task_id]] if row.task_id in writers else (),
            )
            for row in sorted(self.filtered, key=lambda row: row.task_id)
        ]
