"""Calibrated refinement: each operation is tried, checked against the invariants, kept or undone."""

import random
from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from pydantic import JsonValue

from envfactory_assets.records.queries import (
    Disclosure,
    DraftQuery,
    Operation,
    OperationName,
    PlannedCall,
    RefinedQuery,
)
from envfactory_assets.stages.queries.drafting import ClauseWriter, Turn
from envfactory_assets.stages.queries.implicit_reference import implicit_reference
from envfactory_assets.stages.queries.invariants import (
    QueryContext,
    internal_ids_of,
    violations,
)
from envfactory_assets.stages.queries.operations import (
    Refinement,
    action_compression,
    ambiguity,
    goal_expansion,
)
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.writer import RuleQueryWriter
from envfactory_resources.clients.language_model.progress import map_telling
from sandboxes.core.catalog import Catalog
from sandboxes.core.parameters import JsonObject
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

_ORDER: tuple[OperationName, ...] = (
    "action_compression",
    "implicit_reference",
    "ambiguity",
    "goal_expansion",
)


_DRAFTED = tuple(name for name in DraftQuery.model_fields if name != "made_by")


class Refiner(Protocol):
    """The role that turns the drafts of one task into human requests."""

    made_by: str
    max_concurrency: int

    def refine(self, drafts: Sequence[DraftQuery], catalog: Catalog) -> list[RefinedQuery]:
        """Return the refined turns of one task, in order."""
        ...


class RuleRefiner:
    """Applies the four operations by rule, each with its configured probability."""

    made_by = "refiner:rules"
    max_concurrency = 1

    def __init__(self, settings: QuerySettings, writer: ClauseWriter | None = None) -> None:
        """Take the calibration, and the writer whose structure the operations work on."""
        self._settings = settings
        self._writer = writer or ClauseWriter()

    def refine(self, drafts: Sequence[DraftQuery], catalog: Catalog) -> list[RefinedQuery]:
        """Return the refined turns of one task, in order."""
        task_id = drafts[0].task_id
        rng = random.Random(f"refine:{self._settings.seed}:{task_id}")
        results = _planned_results(drafts, catalog)
        turns = self._writer.word(task_id, [draft.calls for draft in drafts], catalog)
        refined: list[RefinedQuery] = []
        earlier: list[Turn] = []
        for draft, turn in zip(drafts, turns, strict=True):
            context = _context(drafts, refined, results, catalog)
            is_own = draft.made_by == RuleQueryWriter.made_by
            turn_after, operations, disclosures = (
                self._refine_turn(draft, turn, earlier, context, catalog, rng)
                if is_own
                else (turn, self._left_alone(draft, rng), ())
            )
            earlier.append(turn_after)
            refined.append(
                RefinedQuery(
                    **{key: getattr(draft, key) for key in _DRAFTED},
                    made_by=self.made_by,
                    refined_text=turn_after.text() if is_own else draft.draft_text,
                    operations=tuple(operations),
                    disclosures=disclosures,
                )
            )
        return refined

    def _left_alone(self, draft: DraftQuery, rng: random.Random) -> list[Operation]:
        """Return the operations drawn for a turn that a model worded: rules leave its text."""
        reason = "The draft is free text; rules rework only what they worded."
        drawn: list[OperationName] = [
            name for name in _ORDER if rng.random() < getattr(self._settings, name)
        ]
        return [_undone(name, draft.draft_text, reason) for name in drawn]

    def _refine_turn(
        self,
        draft: DraftQuery,
        turn: Turn,
        earlier: list[Turn],
        context: QueryContext,
        catalog: Catalog,
        rng: random.Random,
    ) -> tuple[Turn, list[Operation], tuple[Disclosure, ...]]:
        disclosures: tuple[Disclosure, ...] = ()
        operations: list[Operation] = []
        for name in _ORDER:
            if rng.random() >= getattr(self._settings, name):
                continue
            before = turn.text()
            refinement = _try(name, turn, earlier, context.history, draft.domain, catalog, rng)
            if refinement is None:
                reason = "Nothing in this turn allows it."
                operations.append(_undone(name, before, reason))
                continue
            kept_back = disclosures + refinement.disclosures
            wrong = violations(refinement.turn.text(), draft.calls, kept_back, context)
            if wrong:
                operations.append(_undone(name, before, f"Undone: {' '.join(wrong)}"))
                continue
            turn, disclosures = refinement.turn, kept_back
            operations.append(
                Operation(
                    name=name,
                    before=before,
                    after=turn.text(),
                    applied=True,
                    reason=refinement.reason,
                )
            )
        return turn, operations, disclosures


def refine_all(
    drafts: Sequence[DraftQuery], catalog: Catalog, refiner: Refiner
) -> list[RefinedQuery]:
    """Return the refined turns of every task, in order of the drafts."""
    tasks = [list(turns) for _, turns in groupby(drafts, key=lambda draft: draft.task_id)]

    def refine(turns: list[DraftQuery]) -> list[RefinedQuery]:
        return refiner.refine(turns, catalog)

    what = f"requests[{drafts[0].domain}]" if drafts else "requests"
    refined = map_telling(
        refine, tasks, max_concurrency=refiner.max_concurrency, what=what, unit="tasks"
    )
    return [row for rows in refined for row in rows]


def query_violations(queries: Sequence[RefinedQuery], catalog: Catalog) -> list[str]:
    """Return what is wrong with the refined turns of one task; none when the invariants hold."""
    results = _planned_results(queries, catalog)
    found: list[str] = []
    for index, query in enumerate(queries):
        context = _context(queries, queries[:index], results, catalog)
        found += violations(query.refined_text, query.calls, query.disclosures, context)
    return found


def _try(
    name: OperationName,
    turn: Turn,
    earlier: list[Turn],
    history: str,
    domain: str,
    catalog: Catalog,
    rng: random.Random,
) -> Refinement | None:
    if name == "implicit_reference":
        return implicit_reference(turn, earlier, rng)
    if name == "action_compression":
        return action_compression(turn)
    if name == "ambiguity":
        return ambiguity(turn, history, catalog, rng)
    return goal_expansion(turn, domain, rng)


def _undone(name: OperationName, text: str, reason: str) -> Operation:
    return Operation(name=name, before=text, after=text, applied=False, reason=reason)


def _planned_results(drafts: Sequence[DraftQuery], catalog: Catalog) -> list[JsonObject]:
    session = Session.open(Scenario.model_validate(drafts[0].scenario), catalog)
    calls = [call for draft in drafts for call in draft.calls]
    return [session.call(call.tool, call.arguments, call.actor).result or {} for call in calls]


def _context(
    drafts: Sequence[DraftQuery],
    refined: Sequence[RefinedQuery],
    results: Sequence[JsonObject],
    catalog: Catalog,
) -> QueryContext:
    calls = [call for draft in drafts for call in draft.calls]
    answers = [item.answer for query in refined for item in query.disclosures]
    return QueryContext(
        history="\n".join([*(query.refined_text for query in refined), *answers]),
        results=results,
        internal_ids=internal_ids_of(drafts[0].scenario, calls, results, catalog),
        tool_names=frozenset(catalog.tools)
        | {tool.name for tool in catalog.tools.values() if "_" in tool.name},
        used_before={call.step: _used_before(call.step, calls) for call in calls},
    )


def _used_before(step: int, calls: Sequence[PlannedCall]) -> tuple[JsonValue, ...]:
    return tuple(
        argument.value
        for call in calls[:step]
        for argument in call.provenance
        if argument.source == "result" and call.actor == "agent"
    )
