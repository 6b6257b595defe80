"""What one page shows: the rows of all tasks, grouped by task."""

from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.records.queries import Disclosure, Operation
from envfactory_assets.records.record import Record
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory


class ShownTurn(Record):
    """The columns of a refined query that the page shows."""

    task_id: str
    chain_id: str
    turn: int
    draft_text: str
    refined_text: str
    persona: str
    story: str
    notes: tuple[str, ...]
    plan: str
    operations: tuple[Operation, ...]
    disclosures: tuple[Disclosure, ...]
    made_by: str


class DraftMaker(Record):
    """The columns of a draft query that the page shows: its text is in the refined query."""

    task_id: str
    made_by: str


@dataclass(frozen=True, slots=True)
class Task:
    """Everything that was recorded of one task.

    Attributes:
        filtered: Its reference, or why there is none.
        turns: Its queries, draft and refined, in order.
        candidates: The attempts at it, in order.
        selected: Whether the datasets hold it, in which split, or why not.
        writers: Which implementations of the writing roles drafted it.
    """

    filtered: FilteredTrajectory
    turns: Sequence[ShownTurn]
    candidates: Sequence[CandidateTrajectory]
    selected: DatasetTask | None = None
    writers: Sequence[str] = ()

    @property
    def drop_reason(self) -> str | None:
        """Why the datasets do not hold it: the filter's reason or the selection's; None if so."""
        if not self.filtered.kept:
            return self.filtered.drop_reason or "unknown"
        return self.selected.drop_reason if self.selected else None

    @property
    def split(self) -> str | None:
        """Its split; None when the datasets do not hold it."""
        return self.selected.split if self.selected and self.drop_reason is None else None


@dataclass(frozen=True, slots=True)
class Corpus:
    """The rows of one dataset version and of what it was made from.

    Attributes:
        filtered: One row a task, the dropped ones too.
        candidates: All attempts.
        queries: All turns.
        drafts: Who drafted them.
        selected: Which proven tasks the datasets hold.
        title: What the page calls itself.
    """

    filtered: Sequence[FilteredTrajectory]
    candidates: Sequence[CandidateTrajectory] = ()
    queries: Sequence[ShownTurn] = ()
    drafts: Sequence[DraftMaker] = ()
    selected: Sequence[DatasetTask] = ()
    title: str = "Trajectories"

    def tasks(self) -> list[Task]:
        """Return the tasks, in order of task id."""
        turns: dict[str, list[ShownTurn]] = {}
        for query in self.queries:
            turns.setdefault(query.task_id, []).append(query)
        candidates: dict[str, list[CandidateTrajectory]] = {}
        for row in self.candidates:
            candidates.setdefault(row.task_id, []).append(row)
        selected = {row.task_id: row for row in self.selected}
        writers = {query.task_id: query.made_by for query in self.drafts}
        return [
            Task(
                filtered=row,
                turns=sorted(turns.get(row.task_id, ()), key=lambda query: query.turn),
                candidates=candidates.get(row.task_id, ()),
                selected=selected.get(row.task_id),
                writers=[writers[row.task_id]] if row.task_id in writers else (),
            )
            for row in sorted(self.filtered, key=lambda row: row.task_id)
        ]
