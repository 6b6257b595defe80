"""Findings as a coder is sent them: JSON lines by gate, the most useful first, not too many."""

import json
from collections.abc import Sequence

from sandboxes.verification.report import Finding, Gate

_ORDER: tuple[Gate, ...] = ("execution", "interface", "state", "results", "parameters")
_MOST = 24
_MOST_OF_TOOL = 3
_MOST_CHARACTERS = 700


def findings_text(findings: Sequence[Finding]) -> str:
    """Return findings as text.

    What keeps the file from running comes first; of one gate and tool a few stand for all.
    """
    parts: list[str] = []
    left = _MOST
    for gate in _ORDER:
        found = [finding for finding in findings if finding.gate == gate]
        shown = _few_of_each_tool(found)[:left]
        left -= len(shown)
        if found:
            more = f", {len(shown)} shown" if len(shown) < len(found) else ""
            parts.append(f"## gate {gate}: {len(found)}{more}")
            parts += [_line(finding) for finding in shown]
    return "\n".join(parts)


def short_lines(findings: Sequence[Finding], most: int) -> list[str]:
    """Return the first findings in a line each, without calls."""
    return [
        f"- {finding.tool or 'the file'}: expected {finding.expected[:160]}"
        for finding in findings[:most]
    ]


def _few_of_each_tool(findings: Sequence[Finding]) -> list[Finding]:
    counts: dict[str | None, int] = {}
    shown: list[Finding] = []
    for finding in findings:
        counts[finding.tool] = counts.get(finding.tool, 0) + 1
        if counts[finding.tool] <= _MOST_OF_TOOL:
            shown.append(finding)
    return shown


def _line(finding: Finding) -> str:
    told = {
        key: _cut(value)
        for key, value in finding.model_dump(mode="json", exclude={"gate"}).items()
        if value is not None
    }
    return json.dumps(told, ensure_ascii=False)


def _cut(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} …"
