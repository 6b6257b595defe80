"""Who writes an environment: the roles of coder and tester."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from envfactory_assets.records.attempts import NO_TOKENS, TokenUsage
from envfactory_assets.records.proposals import EnvironmentProposal
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.verification.cases import Case
from sandboxes.verification.report import Finding


@dataclass(frozen=True, slots=True)
class Draft:
    """An environment as its coder hands it in.

    Attributes:
        source: The Python text of the file.
        cases: Test cases that came with it; empty where the tester writes them.
        usage: What it took of a model.
        left_out: What of the proposal is not built, one sentence each; those on a tool begin with
            its proposed name and a colon.
    """

    source: str
    cases: tuple[Case, ...] = ()
    usage: TokenUsage = NO_TOKENS
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found in a draft: what the coder is sent back with.

    Attributes:
        draft: The draft.
        findings: What is wrong with it.
    """

    draft: Draft
    findings: tuple[Finding, ...]


class Coder(Protocol):
    """Writes the file of an environment."""

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    def write(self, proposal: EnvironmentProposal, earlier: Sequence[Judged]) -> Draft:
        """Write an environment, or mend the last of the earlier drafts.

        Raises:
            UnsupportedProposalError: If this coder cannot write what is proposed.
            LanguageModelError: If a model plays the role and gives no useful reply.
        """
        ...


@dataclass(frozen=True, slots=True)
class TestedDraft:
    """A draft that runs, as the tester sees it.

    Attributes:
        proposal: What it should be.
        source: The file, which a session can be opened from under confinement.
        tools: The tools it declares, as names, effects, descriptions and schemas.
        states: Initial states by scenario seed.
    """

    proposal: EnvironmentProposal
    source: EnvironmentSource
    tools: tuple[dict[str, JsonValue], ...]
    states: Mapping[int, dict[str, JsonValue]]


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Test cases and what they took of a model."""

    cases: tuple[Case, ...]
    usage: TokenUsage = NO_TOKENS


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """What the tester says of a case that the gates contradict.

    Attributes:
        case: Name of the case.
        is_upheld: Whether the case stands and the code is wrong.
        reason: Why, in one sentence.
    """

    case: str
    is_upheld: bool
    reason: str


class Tester(Protocol):
    """Writes the test cases of an environment, and reconsiders those that fail."""

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    def write_cases(self, draft: TestedDraft) -> CaseSet:
        """Write cases of four complexities that cover every tool.

        Raises:
            LanguageModelError: If a model plays the role and gives no useful reply.
        """
        ...

    def reconsider(
        self, draft: TestedDraft, failed: Sequence[tuple[Case, Finding]]
    ) -> tuple[tuple[CaseVerdict, ...], CaseSet]:
        """Say of each failed case whether it or the code is wrong.

        Returns:
            A verdict for each, and cases to put in place of those that are not upheld.

        Raises:
            LanguageModelError: If a model plays the role and gives no useful reply.
        """
        ...
