"""The query stages as functions of records: chains to drafts, drafts to refined queries."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.queries import DraftQuery
from envfactory_assets.stages.queries.binding import (
    BoundTask,
    InfeasibleChainError,
    bind_chain,
)
from envfactory_assets.stages.queries.drafting import ClauseWriter, calls_by_turn, draft_rows
from envfactory_assets.stages.queries.planner import ScenarioPlanner
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.writer import QueryWriter, RuleQueryWriter
from envfactory_resources.clients.language_model.progress import map_telling
from sandboxes.core.catalog import Catalog


@dataclass(frozen=True, slots=True)
class DraftOutcome:
    """The drafts of a domain, and why the other chains gave none.

    Attributes:
        drafts: One row a turn, tasks in order of their chains.
        dropped: Chains without a feasible scenario, counted by reason.
    """

    drafts: list[DraftQuery]
    dropped: dict[str, int]


@dataclass(frozen=True, slots=True)
class Authors:
    """Who finds the story of a task, and who words its drafts."""

    planner: ScenarioPlanner
    writer: QueryWriter

    @property
    def max_concurrency(self) -> int:
        """How many tasks they work on at once."""
        return max(self.planner.max_concurrency, self.writer.max_concurrency)


def draft_queries(
    chains: Sequence[SampledChain], catalog: Catalog, settings: QuerySettings, authors: Authors
) -> DraftOutcome:
    """Bind every chain on a scenario of its own and word its turns."""
    tasks: list[BoundTask] = []
    dropped: Counter[str] = Counter()
    for chain in chains:
        try:
            tasks.append(bind_chain(chain, catalog, settings))
        except InfeasibleChainError as error:
            dropped[error.reason] += 1

    def word(task: BoundTask) -> list[DraftQuery]:
        plan = authors.planner.plan(task, catalog)
        turns = ClauseWriter().word(task.task_id, calls_by_turn(plan.task), catalog)
        drafts = draft_rows(plan, turns, catalog, RuleQueryWriter.made_by)
        return authors.writer.write(drafts, catalog)

    what = f"drafts[{chains[0].domain}]" if chains else "drafts"
    drafted = map_telling(
        word, tasks, max_concurrency=authors.max_concurrency, what=what, unit="tasks"
    )
    drafts = [row for rows in drafted for row in rows]
    return DraftOutcome(drafts=drafts, dropped=dict(sorted(dropped.items())))
