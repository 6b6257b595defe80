"""Examining a draft: the gates, the comparison with the proposal, and the tester's cases.

Cases name what stands in the scenario of a seed. So they are written once the code passes without
them, kept while tools and scenarios stay the same, and written anew when those change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pydantic import JsonValue, ValidationError

from envfactory_assets.records.attempts import NO_TOKENS, TokenUsage
from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.attempts.authors import Draft, TestedDraft, Tester
from envfactory_assets.stages.attempts.candidates import write_candidate
from envfactory_assets.stages.attempts.conformance import compare_declarations
from envfactory_assets.stages.attempts.coverage import closing, gaps
from envfactory_assets.stages.attempts.errors import BudgetSpentError
from envfactory_assets.stages.attempts.liveliness import compare_behaviour
from envfactory_assets.stages.attempts.recording import record_cases
from envfactory_assets.stages.attempts.report_findings import Sorted, has_run, sort_findings
from envfactory_assets.stages.attempts.settings import GenerationSettings
from envfactory_assets.stages.attempts.token_counts import all_tokens, summed
from envfactory_assets.stages.attempts.verifier import Look, Verifier
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.errors import ConfinementUnavailableError, SandboxError
from sandboxes.verification.cases import Case
from sandboxes.verification.report import Finding

SHOWN_SEEDS = (0, 1)


@dataclass(slots=True)
class Examined:
    """What is known of a draft so far; it is complete when the examination ends without an error.

    Attributes:
        cases: Its declared cases.
        source_hash: Hash of code and cases, as last written.
        findings: What is wrong.
        verdicts: Cases that the gates contradicted and what the tester says of each.
        mutation_score: How many injected faults the cases catch; None when not measured.
        usage: What the tester took of a model.
    """

    cases: tuple[Case, ...] = ()
    source_hash: str = ""
    findings: tuple[Finding, ...] = ()
    verdicts: list[JsonObject] = field(default_factory=list[JsonObject])
    mutation_score: float | None = None
    usage: TokenUsage = NO_TOKENS


class Examiner:
    """Examines the drafts of one environment, one after the other."""

    def __init__(
        self,
        proposal: EnvironmentProposal,
        tester: Tester,
        verifier: Verifier,
        settings: GenerationSettings,
        scratch: Path,
    ) -> None:
        """Start without cases.

        Args:
            proposal: What the environment should be.
            tester: Who writes the cases.
            verifier: Where the code runs.
            settings: How much it may take.
            scratch: The folder of the candidates.
        """
        self._proposal = proposal
        self._tester = tester
        self._verifier = verifier
        self._settings = settings
        self._scratch = scratch
        self._written: dict[str, tuple[Case, ...]] = {}

    def examine(self, draft: Draft, found: Examined, tokens_left: int) -> None:
        """Find out what is wrong with a draft.

        Args:
            draft: The draft.
            found: Takes what is found, also when an error ends the examination.
            tokens_left: What the tester may still take.

        Raises:
            BudgetSpentError: If the tester would have to be asked and may not.
            LanguageModelError: If the tester is a model and gives no useful reply.
        """
        source = self._write(draft, draft.cases, found)
        report = self._verifier.verify(source, measures_mutation=False)
        told = sort_findings(report, draft.cases)
        found.findings = told.of_code
        if not has_run(report):
            return
        look, differences = self._compared(draft, source)
        found.findings += differences
        if look is None or found.findings:
            found.findings += tuple(finding for _, finding in told.of_cases)
            return
        self._test(draft, source, look, found, tokens_left)

    def _compared(
        self, draft: Draft, source: EnvironmentSource
    ) -> tuple[Look | None, tuple[Finding, ...]]:
        """Look at a draft that ran in the gates, and compare it with the proposal."""
        try:
            look = self._verifier.look(source, SHOWN_SEEDS)
            return look, self._differences(draft, source, look)
        except ConfinementUnavailableError:
            raise
        except (SandboxError, ValidationError) as error:
            return None, (_failure(error),)

    def _differences(
        self, draft: Draft, source: EnvironmentSource, look: Look
    ) -> tuple[Finding, ...]:
        wanted = _without(self._proposal, draft.left_out)
        declared = compare_declarations(wanted, look.tools)
        if declared:
            return tuple(declared)
        return tuple(compare_behaviour(wanted, source, self._verifier))

    def _test(
        self,
        draft: Draft,
        source: EnvironmentSource,
        look: Look,
        found: Examined,
        tokens_left: int,
    ) -> None:
        tested = TestedDraft(self._proposal, source, look.tools, look.states)
        key = content_hash(cast("JsonValue", [list(look.tools), list(look.states.values())]))
        if key not in self._written:
            _check_budget(tokens_left, "test cases are written")
            written = self._tester.write_cases(tested)
            found.usage = summed([found.usage, written.usage])
            self._written[key] = written.cases
        cases = _merged(draft.cases, self._written[key])
        cases, told = self._verify(draft, source, cases, found)
        if told.of_cases:
            _check_budget(tokens_left - all_tokens(found.usage), "failed cases are reconsidered")
            cases = self._reconsider(tested, cases, told, found)
            cases, told = self._verify(draft, source, cases, found)
            cases, told = self._without_new_failures(draft, source, cases, told, found)
        self._written[key] = cases

    def _verify(
        self, draft: Draft, source: EnvironmentSource, cases: tuple[Case, ...], found: Examined
    ) -> tuple[tuple[Case, ...], Sorted]:
        """Verify a draft with cases, once what they lack is filled in by recorded ones."""
        session = self._verifier.open(source, SHOWN_SEEDS[0])
        gap = gaps(session.tools, cases)
        session.close()
        if gap:
            recorded = record_cases(source, self._verifier)
            cases = _merged(cases, closing(recorded, gap))
        complete = self._write(draft, cases, found)
        report = self._verifier.verify(complete, measures_mutation=self._settings.measures_mutation)
        told = sort_findings(report, cases)
        found.findings = told.all
        found.mutation_score = report.mutation_score
        return cases, told

    def _reconsider(
        self, tested: TestedDraft, cases: tuple[Case, ...], told: Sorted, found: Examined
    ) -> tuple[Case, ...]:
        """Let the tester reconsider failed cases, and return the cases that are left or new."""
        verdicts, instead = self._tester.reconsider(tested, told.of_cases)
        found.usage = summed([found.usage, instead.usage])
        failed = {case.name: finding for case, finding in told.of_cases}
        for verdict in verdicts:
            finding = failed[verdict.case]
            found.verdicts.append(
                {
                    "case": verdict.case,
                    "is_upheld": verdict.is_upheld,
                    "reason": verdict.reason,
                    "expected": finding.expected,
                    "got": finding.got,
                }
            )
        upheld = {verdict.case for verdict in verdicts if verdict.is_upheld}
        left = tuple(case for case in cases if case.name not in failed or case.name in upheld)
        return _merged(left, instead.cases)

    def _without_new_failures(
        self,
        draft: Draft,
        source: EnvironmentSource,
        cases: tuple[Case, ...],
        told: Sorted,
        found: Examined,
    ) -> tuple[tuple[Case, ...], Sorted]:
        """Drop cases that were put in place of failed ones and fail as well."""
        judged = {str(verdict["case"]) for verdict in found.verdicts}
        again = {case.name: finding for case, finding in told.of_cases if case.name not in judged}
        if not again:
            return cases, told
        for name, finding in again.items():
            found.verdicts.append(
                {
                    "case": name,
                    "is_upheld": False,
                    "reason": "It stood in for a failed case and fails as well.",
                    "expected": finding.expected,
                    "got": finding.got,
                }
            )
        left = tuple(case for case in cases if case.name not in again)
        return self._verify(draft, source, left, found)

    def _write(self, draft: Draft, cases: tuple[Case, ...], found: Examined) -> EnvironmentSource:
        source = write_candidate(self._scratch, self._proposal, draft.source, cases)
        found.cases, found.source_hash = cases, source.source_hash
        return source


def _without(proposal: EnvironmentProposal, left_out: Sequence[str]) -> EnvironmentProposal:
    """Return a proposal without the tools that a coder says it did not build."""
    names = {sentence.partition(":")[0] for sentence in left_out}
    tools = tuple(tool for tool in proposal.tools if tool.name not in names)
    return proposal.model_copy(update={"tools": tools})


def _merged(first: Sequence[Case], more: Sequence[Case]) -> tuple[Case, ...]:
    """Return cases and those of others whose names and calls are not among them."""
    merged = list(first)
    for case in more:
        names = {other.name for other in merged}
        if all((case.seed, case.calls) != (other.seed, other.calls) for other in merged):
            number = 2
            name = case.name
            while name in names:
                name = f"{case.name} ({number})"
                number += 1
            merged.append(case.model_copy(update={"name": name}))
    return tuple(merged)


def _failure(error: Exception) -> Finding:
    return Finding(
        gate="execution",
        tool=None,
        fault="implementation",
        call=None,
        expected="tools that can be called on every scenario",
        got=str(error)[:1_000],
        hint="Refuse with ToolError; keep in the state only what its model declares.",
    )


def _check_budget(tokens_left: int, what: str) -> None:
    if tokens_left <= 0:
        raise BudgetSpentError(f"The token budget is spent before {what}.")
