"""What a person decides about proposals: files `<folder>/<domain>/<name>.json`."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from envfactory_assets.records.proposals import (
    EnvironmentProposal,
    ProposalSource,
    ProposedEntity,
    ProposedTool,
)
from envfactory_assets.stages.proposals.decision_errors import DecisionError

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_SHOWN_FAULTS = 3


class ProposalChanges(BaseModel):
    """The fields of a proposal that an edit replaces as a whole; None leaves one as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    service: str | None = None
    rationale: str | None = None
    entities: tuple[ProposedEntity, ...] | None = None
    tools: tuple[ProposedTool, ...] | None = None
    rules: tuple[str, ...] | None = None
    sources: tuple[ProposalSource, ...] | None = None
    not_inferred: tuple[str, ...] | None = None


class Decision(BaseModel):
    """What a person decided about one proposal.

    Attributes:
        verdict: `veto` it; `edit` it; `approve` it as it is, even as a duplicate.
        reason: Why; a veto has one.
        changes: What an edit replaces.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    verdict: Literal["veto", "edit", "approve"]
    reason: str = ""
    changes: ProposalChanges = ProposalChanges()

    @model_validator(mode="after")
    def _check_belongings(self) -> Self:
        if self.verdict == "veto" and not self.reason.strip():
            raise ValueError("a veto needs a reason")
        if (self.verdict == "edit") != bool(self.changes.model_fields_set):
            raise ValueError("an edit names changes, and nothing else does")
        return self


def read_decisions(folder: Path, domain: str) -> dict[str, Decision]:
    """Return the decisions on one domain, by the proposal's name, in order of name.

    Args:
        folder: The folder of all decisions; it need not exist.
        domain: The domain.

    Raises:
        DecisionError: If a file holds no decision.
    """
    paths = sorted((folder / domain).glob("*.json"))
    return {path.stem: _read(path) for path in paths}


def write_decision(folder: Path, domain: str, name: str, decision: Decision) -> Path:
    """Write a decision, in one step and in place of an earlier one; return where it lies.

    Args:
        folder: The folder of all decisions.
        domain: The domain.
        name: The short name of the proposal.
        decision: What was decided.

    Raises:
        DecisionError: If the names are none of ours, or the file cannot be written.
    """
    for given in (domain, name):
        if not _NAME.fullmatch(given):
            raise DecisionError(
                f"{given!r} is no name of a domain or proposal; they are in snake case."
            )
    path = folder / domain / f"{name}.json"
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = decision.model_dump_json(exclude_unset=True, indent=2)
        temporary.write_text(f"{text}\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise DecisionError(
            f"Decision {path} cannot be written: {error.strerror or error}."
        ) from error
    return path


def editable(proposal: EnvironmentProposal, reason: str = "") -> Decision:
    """Return an edit that replaces everything by what it is: a file for a person to start from."""
    named = {name: getattr(proposal, name) for name in ProposalChanges.model_fields}
    return Decision(verdict="edit", reason=reason, changes=ProposalChanges(**named))


def decide(
    proposals: Sequence[EnvironmentProposal], decisions: Mapping[str, Decision]
) -> tuple[list[EnvironmentProposal], list[str]]:
    """Apply decisions to proposals.

    Args:
        proposals: Proposals with their overlap marked.
        decisions: By the proposal's name.

    Returns:
        The proposals as decided, and one sentence a decision on a proposal that is not there.
    """
    rows = [
        _decided(proposal, decisions[proposal.name]) if proposal.name in decisions else proposal
        for proposal in proposals
    ]
    unknown = sorted(decisions.keys() - {proposal.name for proposal in proposals})
    return rows, [
        f"There is a decision ({decisions[name].verdict}) on {name!r}, which is not proposed now."
        for name in unknown
    ]


def _decided(proposal: EnvironmentProposal, decision: Decision) -> EnvironmentProposal:
    match decision.verdict:
        case "veto":
            changes: dict[str, object] = {"status": "vetoed", "status_reason": decision.reason}
        case "approve":
            changes = {"status": "approved", "status_reason": ""}
        case "edit":
            edited = decision.changes
            named = {name: getattr(edited, name) for name in sorted(edited.model_fields_set)}
            changes = {name: value for name, value in named.items() if value is not None}
            changes |= {"status": "edited", "status_reason": ""}
    return proposal.model_copy(update=changes)


def _read(path: Path) -> Decision:
    try:
        return Decision.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DecisionError(
            f"Decision {path} cannot be read: {error.strerror or error}. Mend or remove it."
        ) from error
    except ValidationError as error:
        listed = error.errors(include_url=False, include_input=False, include_context=False)
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'the whole'}: {fault['msg']}" for fault in listed
        ]
        more = f" and {len(faults) - _SHOWN_FAULTS} more" if len(faults) > _SHOWN_FAULTS else ""
        raise DecisionError(
            f"Decision {path} is none: {'; '.join(faults[:_SHOWN_FAULTS])}{more}. It needs a "
            "verdict (veto, edit, approve), a reason for a veto, and changes for an edit."
        ) from error
