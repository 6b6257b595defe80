"""The tester without a model: cases that came with the code, or recorded ones."""

from collections.abc import Sequence

from envfactory_assets.stages.attempts.authors import CaseSet, CaseVerdict, TestedDraft
from envfactory_assets.stages.attempts.coverage import closing, gaps
from envfactory_assets.stages.attempts.recording import record_cases
from envfactory_assets.stages.attempts.verifier import Verifier
from sandboxes.verification.cases import Case
from sandboxes.verification.report import Finding

_FIRST_SEED = 0


class RuleTester:
    """Adds nothing to a draft that has cases of its own, and records some for one that has none.

    Recorded cases say what the code does, not what the proposal wants: they are regression cases,
    weaker than those of a tester who reads the rules.
    """

    made_by = "tester:rules"

    def __init__(self, verifier: Verifier) -> None:
        """Take the place where code runs."""
        self._verifier = verifier

    def write_cases(self, draft: TestedDraft) -> CaseSet:
        """Record cases, unless the draft came with some."""
        if draft.source.cases_path.exists():
            return CaseSet(())
        recorded = record_cases(draft.source, self._verifier)
        session = self._verifier.open(draft.source, _FIRST_SEED)
        needed = closing(recorded, gaps(session.tools, ()))
        session.close()
        more = [case for case in recorded if case.seed == _FIRST_SEED and case not in needed]
        return CaseSet((*needed, *more))

    def reconsider(
        self, draft: TestedDraft, failed: Sequence[tuple[Case, Finding]]
    ) -> tuple[tuple[CaseVerdict, ...], CaseSet]:
        """Uphold every case: whoever wrote it meant it, and what was recorded should repeat."""
        del draft
        reason = "Rules cannot tell whether the case or the code is wrong; the case stands."
        return tuple(CaseVerdict(case.name, True, reason) for case, _ in failed), CaseSet(())
