"""Candidates: code and cases of one round, as files that can be verified.

A candidate stands under its content hash, so that no file of another round is written over.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.records.record import JsonObject
from sandboxes.core.catalog import EnvironmentSource, cases_path, source_hash
from sandboxes.verification.cases import Case


def case_rows(cases: Sequence[Case]) -> tuple[JsonObject, ...]:
    """Return cases as rows hold them."""
    return tuple(case.model_dump(mode="json") for case in cases)


def cases_text(cases: Sequence[JsonObject]) -> str:
    """Return the text of a file of cases: the same for cases that went through the warehouse."""
    return json.dumps(list(cases), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_candidate(
    scratch: Path, proposal: EnvironmentProposal, text: str, cases: Sequence[Case]
) -> EnvironmentSource:
    """Write code and cases below a scratch folder, and return what the catalog would hold.

    Args:
        scratch: The folder.
        proposal: What the code is for.
        text: The Python text.
        cases: The test cases; without any there is no file of cases.
    """
    beside = cases_text(case_rows(cases)) if cases else ""
    digest = hashlib.sha256(f"{text}\0{beside}".encode()).hexdigest()
    folder = scratch / digest[:32] / proposal.domain
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{proposal.name}.py"
    path.write_text(text, encoding="utf-8")
    if cases:
        cases_path(path).write_text(beside, encoding="utf-8")
    return EnvironmentSource(
        environment_id=proposal.environment_id,
        path=path,
        origin=proposal.origin,
        source_hash=source_hash(path),
    )
