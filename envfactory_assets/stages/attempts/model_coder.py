"""The coder as a language model plays it.

What is sent: a system text of contract and exemplar, the same for every environment; a first
message with the proposal, the same in every round, so that an endpoint's prompt cache serves both;
from the second round on the last draft and what was found in it.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.attempts.authors import Draft, Judged
from envfactory_assets.stages.attempts.code_block import code_block
from envfactory_assets.stages.attempts.findings_text import findings_text, short_lines
from envfactory_assets.stages.attempts.token_counts import counted, with_earlier
from envfactory_assets.stages.model_role import ModelRole
from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    ReplyError,
    RequestError,
)
from envfactory_resources.clients.language_model.reply import Reply
from envfactory_resources.clients.language_model.usage import Usage
from sandboxes.core.catalog import SHIPPED_ROOT
from sandboxes.verification.allowed_names import ALLOWED_NAMES, FORBIDDEN_BUILTINS

_PROMPT = Path(__file__).parent / "prompts" / "coder.txt"
_EXEMPLAR = SHIPPED_ROOT / "travel" / "hotel_booking.py"
_WHOLE = ("math",)
_PROPOSED = {
    "environment_id",
    "service",
    "entities",
    "tools",
    "rules",
    "not_inferred",
}
_REMEMBERED = 12


class ModelCoder:
    """Writes an environment's file by asking a model, and mends it by what the gates found."""

    def __init__(self, role: ModelRole) -> None:
        """Take the role and the model that plays it."""
        self._role = role

    @property
    def made_by(self) -> str:
        """Role and model."""
        return self._role.made_by

    def write(self, proposal: EnvironmentProposal, earlier: Sequence[Judged]) -> Draft:
        """Ask for the file; a reply without one is asked about once more.

        Raises:
            LanguageModelError: If no useful reply came.
        """
        messages: list[JsonObject] = [_said("user", proposal_text(proposal)), *_last_round(earlier)]
        usages: list[Usage] = []
        problem = ""
        for _ in range(2):
            reply = self._ask(messages, usages)
            usages.append(reply.usage)
            code, problem = code_block(reply.text)
            if code:
                return Draft(source=code, usage=counted(usages))
            again = (
                f"That reply has {problem}. Answer with exactly one fenced block that begins with "
                "```python and holds the whole file."
            )
            said = reply.text.strip() or "(no text)"
            messages += [_said("assistant", said), _said("user", again)]
        raise MalformedReplyError(
            f"Role {self._role.name!r}: two replies in a row hold no file: the second has "
            f"{problem}. Use a stronger model, or one that answers in text.",
            role=self._role.name,
            usage=with_earlier(usages[-1], usages[:-1]),
        )

    def _ask(self, messages: Sequence[JsonObject], usages: Sequence[Usage]) -> Reply:
        try:
            return self._role.model.complete(
                self._role.name,
                system_text(),
                messages,
                max_tokens=self._role.max_tokens,
                prompt_cache="conversation",
            )
        except (ReplyError, RequestError) as error:
            error.usage = with_earlier(error.usage, usages)
            raise


def system_text() -> str:
    """Return the contract, as the rules on sources stand, with the exemplary environment."""
    imports = [
        f"    {module}: {'anything' if module in _WHOLE else ', '.join(sorted(names))}"
        for module, names in ALLOWED_NAMES.items()
    ]
    parts = {
        "{IMPORTS}": "\n".join(imports),
        "{REFUSED}": ", ".join(f"`{name}`" for name in sorted(FORBIDDEN_BUILTINS)),
        "{EXEMPLAR}": _EXEMPLAR.read_text(encoding="utf-8").strip(),
    }
    prompt = _PROMPT.read_text(encoding="utf-8")
    for mark, text in parts.items():
        prompt = prompt.replace(mark, text)
    return prompt


def proposal_text(proposal: EnvironmentProposal) -> str:
    """Return the first message: what is to be written."""
    told = proposal.model_dump(mode="json", include=_PROPOSED, exclude_defaults=True)
    return (
        f"Write the environment {proposal.environment_id}: the file {proposal.name}.py, whose "
        f"tools are named {proposal.name}__<tool> on the wire. The proposal:\n\n"
        f"{json.dumps(told, indent=1, ensure_ascii=False)}"
    )


def _last_round(earlier: Sequence[Judged]) -> list[JsonObject]:
    if not earlier:
        return []
    last = earlier[-1]
    parts = [
        f"Faults found in that file (round {len(earlier)}): {len(last.findings)}. "
        "Answer with the complete mended file.",
        findings_text(last.findings),
    ]
    before = [finding for judged in earlier[:-1] for finding in judged.findings]
    if before:
        parts += [
            "Rounds before that had these faults, which must not come back:",
            *short_lines(before, _REMEMBERED),
        ]
    code = last.draft.source.rstrip("\n")
    return [
        _said("assistant", f"```python\n{code}\n```"),
        _said("user", "\n\n".join(parts)),
    ]


def _said(role: str, text: str) -> JsonObject:
    return {"role": role, "content": text}
