"""Makes the rows of one domain: documents first, then a researcher, then a person's decisions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envfactory_assets.records.attempts import TokenUsage
from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.proposals.coverage import Coverage
from envfactory_assets.stages.proposals.decisions import Decision, decide
from envfactory_assets.stages.proposals.identifiers import unique_name
from envfactory_assets.stages.proposals.overlap import OverlapMeasure, Service, mark_duplicates
from envfactory_assets.stages.proposals.researcher import DroppedProposal, Researcher


@dataclass(frozen=True, slots=True)
class Proposed:
    """What came of one domain.

    Attributes:
        rows: In order of environment id.
        dropped: What did not become a row, and why.
        notes: What people should know, one sentence each.
        usage: What the researcher took of a model.
    """

    rows: tuple[EnvironmentProposal, ...]
    dropped: tuple[DroppedProposal, ...]
    notes: tuple[str, ...]
    usage: TokenUsage

    @property
    def dropped_by_reason(self) -> dict[str, int]:
        """How many were dropped for each reason, in alphabetical order."""
        counted = Counter(item.reason for item in self.dropped)
        return {reason: counted[reason] for reason in sorted(counted)}

    @property
    def wanted_count(self) -> int:
        """For how many rows code is to be written."""
        return sum(row.is_wanted for row in self.rows)


def propose(
    domain: str,
    documents: Sequence[EnvironmentProposal],
    researcher: Researcher,
    coverage: Coverage,
    pool: Sequence[Service],
    measure: OverlapMeasure,
    decisions: Mapping[str, Decision],
    count: int,
    refused: Sequence[DroppedProposal] = (),
) -> Proposed:
    """Make the rows of one domain.

    Args:
        domain: The domain.
        documents: What the team's documents propose.
        researcher: Who proposes more.
        coverage: What the pool has in the domain and lacks.
        pool: Every environment there is, in all domains.
        measure: What finds duplicates.
        decisions: A person's, by the proposal's name.
        count: How many services the researcher is to propose.
        refused: Documents that gave no proposal, to be counted with the rest.

    Raises:
        RequestError: If a model's endpoint refuses the key or the request.
    """
    imported = sorted(documents, key=lambda item: item.environment_id)
    research = researcher.propose(domain, coverage, count, imported)
    named, renamed = _with_free_names([*imported, *research.proposals], pool)
    marked = mark_duplicates(named, pool, measure)
    rows, unknown = decide(marked, decisions)
    return Proposed(
        rows=tuple(sorted(rows, key=lambda row: row.environment_id)),
        dropped=(*refused, *research.dropped),
        notes=(*research.notes, *renamed, *unknown),
        usage=research.usage,
    )


def _with_free_names(
    proposals: Sequence[EnvironmentProposal], pool: Sequence[Service]
) -> tuple[list[EnvironmentProposal], list[str]]:
    """Number every name that an environment of any domain or an earlier proposal has.

    Tools carry the short name of their environment, so it is unique over all domains.
    """
    taken: set[str] = set()
    found: list[EnvironmentProposal] = []
    notes: list[str] = []
    for proposal in proposals:
        owners = _owners(proposal, pool)
        name = unique_name(proposal.name, owners.keys() | taken)
        taken.add(name)
        environment_id = f"{proposal.domain}.{name}"
        if name != proposal.name:
            owner = owners.get(proposal.name, "an earlier proposal")
            notes.append(
                f"{proposal.environment_id} is proposed as {environment_id}: its short name is "
                f"that of {owner}."
            )
        changes = {"name": name, "environment_id": environment_id}
        found.append(proposal.model_copy(update=changes))
    return found, notes


def _owners(proposal: EnvironmentProposal, pool: Sequence[Service]) -> dict[str, str]:
    """Return who has which short name, without what may have been made from this proposal."""
    return {
        item.environment_id.split(".")[1]: item.environment_id
        for item in pool
        if item.origin != proposal.origin or item.environment_id.split(".")[0] != proposal.domain
    }
