"""Rounds of writing and testing an environment until the gates pass, or until it is given up.

Every round is a complete row, however it ends. What a killed run had paid for is in the reply
cache: started again, it goes through the same rounds and asks only for what is missing.
"""

import difflib
import logging
from collections.abc import Sequence
from pathlib import Path

from envfactory_assets.records.attempts import (
    NO_TOKENS,
    AttemptOutcome,
    EnvironmentAttempt,
    TokenUsage,
)
from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.attempts.authors import Coder, Draft, Judged, Tester
from envfactory_assets.stages.attempts.candidates import case_rows
from envfactory_assets.stages.attempts.errors import BudgetSpentError, UnsupportedProposalError
from envfactory_assets.stages.attempts.examination import Examined, Examiner
from envfactory_assets.stages.attempts.settings import GenerationSettings
from envfactory_assets.stages.attempts.token_counts import all_tokens, counted_of, summed
from envfactory_assets.stages.attempts.verifier import Verifier
from envfactory_resources.clients.language_model.bounded_map import map_bounded
from envfactory_resources.clients.language_model.errors import (
    LanguageModelError,
    MalformedReplyError,
    RefusedReplyError,
    TruncatedReplyError,
)
from sandboxes.core.errors import ConfinementUnavailableError

_MAX_REASON = 600

_log = logging.getLogger(__name__)


def attempt_all(
    proposals: Sequence[EnvironmentProposal],
    coder: Coder,
    tester: Tester,
    verifier: Verifier,
    settings: GenerationSettings,
    scratch: Path,
) -> list[EnvironmentAttempt]:
    """Write and test an environment for every wanted proposal, several at once.

    What goes wrong with one is a row of that one and touches no other. Rows come in order of
    environment and round, whichever was done first.

    Args:
        proposals: What to write; vetoed ones and duplicates are passed over.
        coder: Who writes the code.
        tester: Who writes the cases.
        verifier: Where the code runs.
        settings: How often, how much, how many at once.
        scratch: A folder for candidate files.

    Raises:
        ConfinementUnavailableError: If code cannot be run confined on this machine at all.
    """
    wanted = sorted(
        (proposal for proposal in proposals if proposal.is_wanted),
        key=lambda proposal: proposal.environment_id,
    )

    def attempt(proposal: EnvironmentProposal) -> list[EnvironmentAttempt]:
        return attempt_environment(proposal, coder, tester, verifier, settings, scratch)

    rounds = map_bounded(attempt, wanted, max_concurrency=settings.concurrency)
    return [row for rows in rounds for row in rows]


def attempt_environment(
    proposal: EnvironmentProposal,
    coder: Coder,
    tester: Tester,
    verifier: Verifier,
    settings: GenerationSettings,
    scratch: Path,
) -> list[EnvironmentAttempt]:
    """Write and test one environment, round by round; the last row says how it ended.

    Args:
        proposal: What to write.
        coder: Who writes the code.
        tester: Who writes the cases.
        verifier: Where the code runs.
        settings: How often and how much.
        scratch: A folder for candidate files.

    Raises:
        ConfinementUnavailableError: If code cannot be run confined on this machine at all.
    """
    writing = _Writing(proposal, coder, tester, verifier, settings, scratch)
    while not (writing.rows and writing.rows[-1].is_final):
        writing.play_round()
    return writing.rows


class _Writing:
    """One environment being written."""

    def __init__(
        self,
        proposal: EnvironmentProposal,
        coder: Coder,
        tester: Tester,
        verifier: Verifier,
        settings: GenerationSettings,
        scratch: Path,
    ) -> None:
        self.rows: list[EnvironmentAttempt] = []
        self._proposal = proposal
        self._coder = coder
        self._tested_by = tester.made_by
        self._settings = settings
        self._examiner = Examiner(proposal, tester, verifier, settings, scratch)
        self._judged: list[Judged] = []

    def play_round(self) -> None:
        """Let the coder hand in a draft, judge it, and add the row."""
        draft, found, usage = None, Examined(), NO_TOKENS
        try:
            draft = self._coder.write(self._proposal, self._judged)
            outcome, reason = self._judge(draft, found)
        except UnsupportedProposalError as error:
            outcome, reason = "unsupported", str(error)
        except BudgetSpentError as error:
            outcome, reason = "budget_spent", str(error)
        except LanguageModelError as error:
            outcome, reason, usage = _outcome_of(error), str(error), counted_of(error)
        except ConfinementUnavailableError:
            raise
        # The boundary of one environment: whatever fails here must not touch the others.
        except Exception as error:
            outcome, reason = "faulted", f"{type(error).__name__}: {error}"
        self._add_row(draft or Draft(source=""), found, outcome, reason, usage)
        _log.info("%s: %s: %s", self.rows[-1].attempt_id, outcome, self.rows[-1].reason)

    def _judge(self, draft: Draft, found: Examined) -> tuple[AttemptOutcome, str]:
        for row, earlier in zip(self.rows, self._judged, strict=True):
            if (draft.source, draft.cases) == (earlier.draft.source, earlier.draft.cases):
                found.source_hash, found.findings = row.source_hash, earlier.findings
                return (
                    "unchanged",
                    f"The coder hands in the failed code of round {row.round} again.",
                )
        left = self._tokens_left(draft.usage)
        self._examiner.examine(draft, found, left)
        if not found.findings:
            return "accepted", f"Every gate passes, with {len(found.cases)} cases."
        self._judged.append(Judged(draft, found.findings))
        gates = ", ".join(dict.fromkeys(finding.gate for finding in found.findings))
        count = len(found.findings)
        told = f"{count} {'finding' if count == 1 else 'findings'} ({gates})"
        if self._tokens_left(draft.usage, found.usage) <= 0:
            budget = self._settings.token_budget
            return "budget_spent", f"{told}, and the budget of {budget} tokens is spent."
        if len(self.rows) + 1 == self._settings.max_rounds:
            return "failed_gates", f"{told}, and that was the last of {len(self.rows) + 1} rounds."
        return "failed_gates", f"{told}."

    def _tokens_left(self, *usages: TokenUsage) -> int:
        spent = summed([*(row.usage for row in self.rows), *usages])
        return self._settings.token_budget - all_tokens(spent)

    def _add_row(
        self,
        draft: Draft,
        found: Examined,
        outcome: AttemptOutcome,
        reason: str,
        usage: TokenUsage,
    ) -> None:
        number = len(self.rows) + 1
        environment_id = self._proposal.environment_id
        self.rows.append(
            EnvironmentAttempt(
                attempt_id=f"{environment_id}#{number}",
                environment_id=environment_id,
                domain=self._proposal.domain,
                round=number,
                origin=self._proposal.origin,
                outcome=outcome,
                reason=reason[:_MAX_REASON],
                is_final=outcome != "failed_gates" or number == self._settings.max_rounds,
                source=draft.source,
                source_diff=self._diff(draft),
                cases=case_rows(found.cases),
                source_hash=found.source_hash,
                findings=tuple(finding.model_dump(mode="json") for finding in found.findings),
                case_verdicts=tuple(found.verdicts),
                left_out=draft.left_out,
                mutation_score=found.mutation_score,
                usage=summed([draft.usage, found.usage, usage]),
                made_by=self._coder.made_by,
                tested_by=self._tested_by,
            )
        )

    def _diff(self, draft: Draft) -> str:
        if not self.rows or not draft.source:
            return ""
        lines = difflib.unified_diff(
            self.rows[-1].source.splitlines(keepends=True),
            draft.source.splitlines(keepends=True),
            f"round {len(self.rows)}",
            f"round {len(self.rows) + 1}",
        )
        return "".join(lines)


def _outcome_of(error: LanguageModelError) -> AttemptOutcome:
    match error:
        case TruncatedReplyError():
            return "truncated_reply"
        case RefusedReplyError():
            return "refused"
        case MalformedReplyError():
            return "malformed_reply"
        case _:
            return "unreachable"
