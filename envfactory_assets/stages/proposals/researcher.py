"""The role of the researcher: says which services a domain lacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from envfactory_assets.records.attempts import NO_TOKENS, TokenUsage
from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.proposals.coverage import Coverage
from envfactory_assets.stages.proposals.coverage_text import lacking

DropReason = Literal[
    "faulty",
    "endless_search",
    "truncated_reply",
    "malformed_reply",
    "refused",
    "unreachable",
    "document_refused",
]


@dataclass(frozen=True, slots=True)
class DroppedProposal:
    """A proposal that did not become a row.

    Attributes:
        reason: Why, to count by.
        detail: Why, in one sentence.
    """

    reason: DropReason
    detail: str


@dataclass(frozen=True, slots=True)
class Research:
    """What a researcher found out.

    Attributes:
        proposals: What it proposes, in order.
        dropped: What it tried to propose in vain.
        notes: What else people should know, one sentence each.
        usage: What it took of a model.
    """

    proposals: tuple[EnvironmentProposal, ...] = ()
    dropped: tuple[DroppedProposal, ...] = ()
    notes: tuple[str, ...] = ()
    usage: TokenUsage = NO_TOKENS


class Researcher(Protocol):
    """Proposes services that the pool lacks."""

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    def propose(
        self,
        domain: str,
        coverage: Coverage,
        count: int,
        earlier: Sequence[EnvironmentProposal] = (),
    ) -> Research:
        """Propose some services for a domain.

        Args:
            domain: The domain.
            coverage: What the pool has there and lacks.
            count: How many services to propose.
            earlier: What is proposed already, by documents say.
        """
        ...


class RuleResearcher:
    """Without a model proposals come from documents; this one only says what is lacking."""

    made_by = "researcher:rules"

    def propose(
        self,
        domain: str,
        coverage: Coverage,
        count: int,
        earlier: Sequence[EnvironmentProposal] = (),
    ) -> Research:
        """Return what the domain lacks, as notes."""
        del domain, count, earlier
        return Research(notes=tuple(lacking(coverage)))
