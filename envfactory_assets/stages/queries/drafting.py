"""Drafts: a persona, a plan, and one request a turn that names every value."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.queries import DraftQuery, PlannedCall
from envfactory_assets.stages.queries.binding import BoundTask
from envfactory_assets.stages.queries.phrasing import Clause, clause_for, render
from envfactory_assets.stages.queries.planner import ScenarioPlan
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog
from sandboxes.core.session import Session

_OPENINGS = ("Please ", "Could you ", "I'd like you to ", "Can you ", "")
_LONG_DATES = 0.3
_ASKING = ("could you", "can you")
_LATER_OPENINGS = ("Now ", "Next, ", "Thanks. Please ", "Great, could you ", "After that, ")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as structure.

    Attributes:
        number: From 0.
        opening: How the request begins.
        clauses: One a step.
        aside: A sentence about the goal, put in front; empty in the draft.
        ending: Sentences put behind, each with a leading space; empty in the draft.
    """

    number: int
    opening: str
    clauses: tuple[Clause, ...]
    aside: str = ""
    ending: str = ""

    def text(self) -> str:
        """Return the request as text."""
        spoken = [render(clause) for clause in self.clauses if clause.is_spoken]
        request = self.opening + _sequence(spoken)
        mark = "?" if self.opening.strip().lower().endswith(_ASKING) else "."
        sentence = request[:1].upper() + request[1:] + mark
        return f"{self.aside} {sentence}{self.ending}".strip()


class ClauseWriter:
    """Words every step by one of its tool's phrasings; what rules refine is its structure."""

    def word(
        self, task_id: str, turns: Sequence[Sequence[PlannedCall]], catalog: Catalog
    ) -> list[Turn]:
        """Return the worded turns of a task, given the planned calls of each."""
        rng = random.Random(f"draft:{task_id}")
        spelling = int(rng.random() < _LONG_DATES)
        worded: list[Turn] = []
        for number, calls in enumerate(turns):
            clauses = tuple(
                clause_for(call, catalog.tools[call.tool], spelling, rng) for call in calls
            )
            opening = rng.choice(_LATER_OPENINGS if number else _OPENINGS)
            worded.append(Turn(number=number, opening=opening, clauses=clauses))
        return worded


def calls_by_turn(task: BoundTask) -> list[tuple[PlannedCall, ...]]:
    """Return the planned calls of a task, one tuple a turn."""
    turns: list[tuple[PlannedCall, ...]] = []
    start = 0
    for size in task.chain.turn_sizes:
        turns.append(task.calls[start : start + size])
        start += size
    return turns


def draft_rows(
    plan: ScenarioPlan, turns: list[Turn], catalog: Catalog, made_by: str
) -> list[DraftQuery]:
    """Return the rows of a task's drafts."""
    task = plan.task
    scenario = task.scenario.model_dump(mode="json")
    hashes = _end_state_hashes(task, catalog)
    return [
        DraftQuery(
            query_id=f"{task.task_id}/{turn.number}",
            task_id=task.task_id,
            chain_id=task.chain.chain_id,
            domain=task.chain.domain,
            environment_ids=task.chain.environment_ids,
            turn=turn.number,
            draft_text=turn.text(),
            persona=plan.persona,
            story=plan.story,
            notes=plan.notes,
            plan="; ".join(render(clause) for clause in turn.clauses),
            calls=tuple(clause.call for clause in turn.clauses),
            scenario=scenario,
            end_state_hash=hashes[turn.number],
            seed=task.scenario.seed,
            made_by=made_by,
        )
        for turn in turns
    ]


def _end_state_hashes(task: BoundTask, catalog: Catalog) -> list[str]:
    session = Session.open(task.scenario, catalog)
    hashes: list[str] = []
    for calls in calls_by_turn(task):
        for call in calls:
            session.call(call.tool, call.arguments, call.actor)
        hashes.append(content_hash(dict(session.states())))
    return hashes


def _sequence(clauses: list[str]) -> str:
    if len(clauses) < 2:
        return "".join(clauses)
    if len(clauses) == 2:
        return f"{clauses[0]} and then {clauses[1]}"
    return f"{', '.join(clauses[:-1])}, and finally {clauses[-1]}"
