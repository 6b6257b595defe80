"""The query stages as functions of records: chains to drafts, drafts to refined queries."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.queries import DraftQuery
from envfactory_assets.stages.queries.binding import InfeasibleChainError, bind_chain
from envfactory_assets.stages.queries.drafting import (
    QueryWriter,
    calls_by_turn,
    draft_rows,
)
from envfactory_assets.stages.queries.settings import QuerySettings
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


def draft_queries(
    chains: Sequence[SampledChain], catalog: Catalog, settings: QuerySettings, writer: QueryWriter
) -> DraftOutcome:
    """Bind every chain on a scenario of its own and word its turns."""
    drafts: list[DraftQuery] = []
    dropped: Counter[str] = Counter()
    for chain in chains:
        try:
            task = bind_chain(chain, catalog, settings)
        except InfeasibleChainError as error:
            dropped[error.reason] += 1
            continue
        turns = writer.write(task.task_id, calls_by_turn(task), catalog)
        drafts += draft_rows(task, turns, catalog, writer.made_by)
    return DraftOutcome(drafts=drafts, dropped=dict(sorted(dropped.items())))
