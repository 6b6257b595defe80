"""Gate 4: reads change nothing, writes change something, refused calls nothing; ids resolve."""

from collections.abc import Iterator, Sequence

from sandboxes.core.state import State, diff
from sandboxes.core.tool import Tool
from sandboxes.verification.attempts import Attempt
from sandboxes.verification.exploration import Exploration
from sandboxes.verification.report import Fault, Finding
from sandboxes.verification.returned_ids import check_ids
from sandboxes.verification.wrong_arguments import WrongCall


def check_state(exploration: Exploration, wrong: Sequence[WrongCall]) -> list[Finding]:
    """Return where calls change what they may not, or return ids that lead nowhere."""
    attempts = [*exploration.attempts, *(call.attempt for call in wrong)]
    state_type = exploration.environment.state_type
    findings: list[Finding] = []
    for tool in exploration.tools:
        made = [attempt for attempt in attempts if attempt.tool is tool]
        findings.extend(_change_findings(tool, made, state_type))
        findings.extend(_text_findings(made))
    return [*findings, *check_ids(exploration)]


def _finding(
    tool: Tool, fault: Fault, attempt: Attempt | None, expected: str, got: str, hint: str
) -> Finding:
    return Finding(
        gate="state",
        tool=tool.wire_name,
        fault=fault,
        call=attempt.call if attempt else None,
        expected=expected,
        got=got,
        hint=hint,
    )


def _change_findings(
    tool: Tool, attempts: Sequence[Attempt], state_type: type[State]
) -> Iterator[Finding]:
    changing = [attempt for attempt in attempts if attempt.after != attempt.position.text]
    refused = [attempt for attempt in changing if attempt.outcome == "refused"]
    if refused:
        yield _finding(
            tool,
            "implementation",
            refused[0],
            "a refused call to change nothing",
            _changes(refused[0], state_type),
            "Check everything before changing anything.",
        )
    carried_out = [attempt for attempt in changing if attempt.is_ok]
    if tool.effect == "read" and carried_out:
        yield _finding(
            tool,
            "implementation",
            carried_out[0],
            "a reading tool to change nothing",
            _changes(carried_out[0], state_type),
            "Do not touch the state, or declare effect='write'.",
        )
    if tool.effect == "write" and not carried_out and any(made.is_ok for made in attempts):
        yield _finding(
            tool,
            "interface",
            next(made for made in attempts if made.is_ok),
            "a writing tool to change the state",
            "no change in any call that was carried out",
            "Change the state, or declare effect='read'.",
        )


def _changes(attempt: Attempt, state_type: type[State]) -> str:
    if attempt.state_fault is not None:
        return f"a state that cannot be read back ({attempt.state_fault})"
    before = state_type.load(attempt.position.text).as_json()
    changes = diff(before, state_type.load(attempt.after).as_json())
    shown = ", ".join(f"{c.path}: {c.before!r} → {c.after!r}" for c in changes[:3])
    return f"changes at {shown or 'the order of keys'}"[:300]


def _text_findings(attempts: Sequence[Attempt]) -> Iterator[Finding]:
    for attempt in attempts:
        if attempt.is_ok and attempt.state_fault is not None:
            yield _finding(
                attempt.tool,
                "implementation",
                attempt,
                "a state that is the same after it was written as JSON and read back",
                attempt.state_fault,
                "Put only values of the declared types into the state.",
            )
            return
