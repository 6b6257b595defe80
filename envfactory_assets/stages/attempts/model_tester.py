"""The tester as a language model plays it: cases from the proposal, never from the code."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.attempts.authors import CaseSet, CaseVerdict, TestedDraft
from envfactory_assets.stages.attempts.coverage import COMPLEXITIES
from envfactory_assets.stages.attempts.model_coder import proposal_text
from envfactory_assets.stages.attempts.settings import GenerationSettings
from envfactory_assets.stages.attempts.shown_state import state_text
from envfactory_assets.stages.attempts.token_counts import counted, with_earlier
from envfactory_assets.stages.attempts.written_cases import (
    CaseList,
    JudgementList,
    read_cases,
)
from envfactory_assets.stages.model_role import ModelRole
from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    ReplyError,
    RequestError,
)
from envfactory_resources.clients.language_model.structured_output import OutputT
from envfactory_resources.clients.language_model.usage import Usage
from sandboxes.verification.cases import Case
from sandboxes.verification.report import Finding

_PROMPT = Path(__file__).parent / "prompts" / "tester.txt"
_MOST_SHOWN = 16
_MOST_CHARACTERS = 1_200

_log = logging.getLogger(__name__)


class ModelTester:
    """Writes cases by asking a model that is shown proposal, tools and initial states.

    What the cases lack, or what of them cannot be run, is asked for once more.
    """

    def __init__(self, role: ModelRole, settings: GenerationSettings) -> None:
        """Take the role, the model that plays it, and how much to ask for."""
        self._role = role
        self._settings = settings

    @property
    def made_by(self) -> str:
        """Role and model."""
        return self._role.made_by

    def write_cases(self, draft: TestedDraft) -> CaseSet:
        """Ask for cases, and once more for what they lack.

        Raises:
            LanguageModelError: If no useful reply came.
        """
        asking = _Asking(self._role, self._system(draft))
        question = f"Write {self._settings.tester_case_count} test cases."
        cases, dropped = _read(asking.ask(question, CaseList).cases, draft)
        lacking = _lacking(cases, draft)
        if dropped or lacking:
            more = (
                f"{question} You wrote these: {_names(cases)}. {_what_is_wrong(dropped, lacking)}"
            )
            again, dropped = _read(asking.ask_again(more), draft)
            known = {case.name for case in cases}
            cases += [case for case in again if case.name not in known]
        for reason in dropped:
            _log.warning("%s: dropped %s", draft.proposal.environment_id, reason)
        return CaseSet(tuple(cases), counted(asking.usages))

    def reconsider(
        self, draft: TestedDraft, failed: Sequence[tuple[Case, Finding]]
    ) -> tuple[tuple[CaseVerdict, ...], CaseSet]:
        """Ask what the tester says of each failed case; one that nobody stands by is withdrawn.

        Raises:
            LanguageModelError: If no useful reply came.
        """
        asking = _Asking(self._role, self._system(draft))
        answer = asking.ask(_failures(failed), JudgementList)
        said = {judgement.case: judgement for judgement in answer.judgements}
        verdicts = [
            CaseVerdict(case.name, said[case.name].is_upheld, said[case.name].reason)
            if case.name in said
            else CaseVerdict(case.name, False, "The tester says nothing of it.")
            for case, _ in failed
        ]
        withdrawn = {verdict.case for verdict in verdicts if not verdict.is_upheld}
        instead = [
            judgement.replacement
            for name, judgement in said.items()
            if name in withdrawn and judgement.replacement is not None
        ]
        cases, dropped = _read(instead, draft)
        for reason in dropped:
            _log.warning("%s: dropped %s", draft.proposal.environment_id, reason)
        failed_names = {case.name for case, _ in failed}
        usable = tuple(case for case in cases if case.name not in failed_names)
        return tuple(verdicts), CaseSet(usable, counted(asking.usages))

    def _system(self, draft: TestedDraft) -> str:
        """Return everything that does not change from question to question."""
        most = self._settings.shown_state_characters
        states = [
            f"## Initial state of scenario {seed}\n{state_text(dict(state), most)}"
            for seed, state in draft.states.items()
        ]
        tools = [json.dumps(tool, ensure_ascii=False) for tool in draft.tools]
        return "\n\n".join(
            [
                _PROMPT.read_text(encoding="utf-8").strip(),
                "# The service",
                proposal_text(draft.proposal),
                "# The tools",
                "\n".join(tools),
                "# The scenarios",
                *states,
            ]
        )


@dataclass(slots=True)
class _Asking:
    """Questions under one system text, and what the replies took."""

    role: ModelRole
    system: str
    usages: list[Usage] = field(default_factory=list[Usage])

    def ask(self, question: str, output: type[OutputT]) -> OutputT:
        """Return the answer to a question; one that cannot be read is asked for once more."""
        try:
            return self._ask(question, output)
        except MalformedReplyError as error:
            # Its usage holds that of the replies before it.
            self.usages = [error.usage]
        return self._ask(question, output)

    def ask_again(self, question: str) -> list[JsonValue]:
        """Return further cases; none when the answer is of no use, since there are some already."""
        try:
            return self._ask(question, CaseList).cases
        except ReplyError as error:
            _log.warning("%s", error)
            self.usages = [error.usage]
            return []

    def _ask(self, question: str, output: type[OutputT]) -> OutputT:
        try:
            answer, usage = self.role.model.structured(
                self.role.name,
                self.system,
                [{"role": "user", "content": question}],
                output,
                max_tokens=self.role.max_tokens,
                prompt_cache="system",
            )
        except (ReplyError, RequestError) as error:
            error.usage = with_earlier(error.usage, self.usages)
            raise
        self.usages.append(usage)
        return answer


def _read(written: Sequence[JsonValue], draft: TestedDraft) -> tuple[list[Case], list[str]]:
    names = [str(tool["name"]).split("__")[1] for tool in draft.tools]
    return read_cases(written, names, list(draft.states))


def _lacking(cases: Sequence[Case], draft: TestedDraft) -> list[str]:
    """Return what the cases lack, as far as public schemas tell."""
    kinds = {case.complexity for case in cases}
    seen = {(call.tool, call.expect) for case in cases for call in case.calls}
    lacking = [f"a {kind} case" for kind in COMPLEXITIES if kind not in kinds]
    for tool in draft.tools:
        name = str(tool["name"]).split("__")[1]
        if (name, "ok") not in seen:
            lacking.append(f"a call of {name} that is carried out")
        if _takes_id(tool) and (name, "refused") not in seen:
            lacking.append(f"a call of {name} that is refused")
    return lacking


def _takes_id(tool: Mapping[str, object]) -> bool:
    schema = cast("JsonObject", tool["input_schema"])
    properties = schema.get("properties")
    names = properties if isinstance(properties, dict) else {}
    return any(name == "id" or name.endswith("_id") for name in names)


def _names(cases: Sequence[Case]) -> str:
    return "; ".join(repr(case.name) for case in cases) or "none that can be run"


def _what_is_wrong(dropped: Sequence[str], lacking: Sequence[str]) -> str:
    parts = ["Write only further ones, under other names."]
    if lacking:
        parts.append(f"They lack: {'; '.join(lacking)}.")
    if dropped:
        parts.append(f"These could not be used: {'; '.join(dropped[:_MOST_SHOWN])}.")
    return " ".join(parts)


def _failures(failed: Sequence[tuple[Case, Finding]]) -> str:
    lines = [
        json.dumps(
            {
                "case": case.model_dump(mode="json"),
                "call": finding.call,
                "expected": finding.expected,
                "got": finding.got[:_MOST_CHARACTERS],
            },
            ensure_ascii=False,
        )
        for case, finding in failed[:_MOST_SHOWN]
    ]
    return "\n".join(["These cases failed. Say of each whether you uphold it.", *lines])
