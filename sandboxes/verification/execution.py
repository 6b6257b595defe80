"""Gate 2: the source keeps the rules, every tool runs, and the same call gives the same bytes."""

import ast
from collections.abc import Iterator, Sequence

from sandboxes.core.errors import EnvironmentSourceError
from sandboxes.verification.attempts import Attempt
from sandboxes.verification.exploration import Exploration
from sandboxes.verification.other_process import (
    OtherProcessError,
    RunElsewhere,
    Script,
    digests,
    run_script,
)
from sandboxes.verification.report import Finding
from sandboxes.verification.source_rules import Violation, violations
from sandboxes.verification.subject import Subject

_REPEATS_PER_TOOL = 6
_LONGEST_CODE = 500_000


def read_source(subject: Subject) -> tuple[list[Finding], bool]:
    """Return where a source breaks the rules, and whether it can be imported all the same."""
    try:
        if len(subject.code) > _LONGEST_CODE:
            raise ValueError(f"{len(subject.code)} bytes; at most {_LONGEST_CODE}")
        subject.code.decode()
        broken = violations(ast.parse(subject.code))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # The parser says so, too, of a text that is nested too deep.
        got = f"{type(error).__name__}: {error}"
        return [_finding(None, None, "a Python file", got, f"Mend {subject.file_name}.")], False
    findings = [_violation_finding(subject, violation) for violation in broken]
    return findings, all(violation.may_import for violation in broken)


def load_finding(error: EnvironmentSourceError) -> Finding:
    """Return the finding that a file which is no usable environment gives."""
    cause = error.__cause__
    if isinstance(cause, EnvironmentSourceError):
        return Finding(
            gate="interface",
            tool=None,
            fault="interface",
            call=None,
            expected="an environment whose state and tools are declared in full",
            got=str(cause),
            hint="Declare what is missing.",
        )
    return _finding(
        None, None, "a file that imports and defines one environment", str(error), "Mend the file."
    )


def scenario_finding(error: Exception) -> Finding:
    """Return the finding that a scenario which cannot be drawn gives."""
    return _finding(
        None,
        None,
        "scenario() to draw a state from every seed",
        f"{type(error).__name__}: {str(error)[:300]}",
        "Mend scenario(); it draws from the world and the generator that it is given.",
    )


def check_execution(exploration: Exploration, run_elsewhere: RunElsewhere) -> list[Finding]:
    """Return the tools that never run, and the calls that do not repeat.

    Args:
        exploration: What was tried.
        run_elsewhere: What makes calls again in other processes.
    """
    repeated = [
        attempt
        for tool in exploration.tools
        for attempt in _spread(exploration.of_tool(tool), _REPEATS_PER_TOOL)
        if tool.name not in exploration.stuck
    ]
    return [*_idle_findings(exploration), *_repeat_findings(exploration, run_elsewhere, repeated)]


def _finding(tool: str | None, call: str | None, expected: str, got: str, hint: str) -> Finding:
    return Finding(
        gate="execution",
        tool=tool,
        fault="implementation",
        call=call,
        expected=expected,
        got=got,
        hint=hint,
    )


def _violation_finding(subject: Subject, violation: Violation) -> Finding:
    return _finding(
        f"{subject.name}__{violation.tool}" if violation.tool else None,
        None,
        violation.rule,
        f"line {violation.line}: {violation.got}",
        "Take time and ids from self.clock, and chance from the generator of scenario().",
    )


def _idle_findings(exploration: Exploration) -> Iterator[Finding]:
    for tool in exploration.tools:
        attempts = exploration.of_tool(tool)
        if any(attempt.is_ok for attempt in attempts):
            continue
        last = attempts[-1]
        yield _finding(
            tool.wire_name,
            last.call,
            "some call on the scenarios to be carried out",
            f"none of {len(attempts)}; the last: {last.message}",
            "Make the scenario rich enough, or give examples and bounds to the arguments.",
        )


def _spread(attempts: Sequence[Attempt], count: int) -> list[Attempt]:
    return list(attempts[:: max(1, len(attempts) // count)])


def _repeat_findings(
    exploration: Exploration, run_elsewhere: RunElsewhere, attempts: Sequence[Attempt]
) -> list[Finding]:
    starts = [position for position in exploration.positions if not position.history]
    script = Script.of(exploration.environment_id, [position.seed for position in starts], attempts)
    recorded = digests([position.text for position in starts], attempts)
    try:
        again, *elsewhere = [run_script(exploration.environment, script), *run_elsewhere(script)]
    except OtherProcessError as error:
        hint = "Mend what fails when the file is imported or run on its own."
        return [_finding(None, None, "the calls to run in a fresh process", str(error), hint)]
    findings: dict[str | None, Finding] = {}
    for index, first in enumerate(recorded):
        attempt = attempts[index - len(starts)] if index >= len(starts) else None
        if again[index] != first:
            where = "when made again in the same process"
        elif any(run[index] != first for run in elsewhere):
            where = "in a process with another hash seed"
        else:
            continue
        tool = attempt.tool.wire_name if attempt else None
        findings.setdefault(tool, _repeat_finding(attempt, where))
    return list(findings.values())


def _repeat_finding(attempt: Attempt | None, where: str) -> Finding:
    return _finding(
        attempt.tool.wire_name if attempt else None,
        attempt.call if attempt else None,
        "the same bytes from the same call on the same state"
        if attempt
        else "the same scenario from the same seed",
        f"other bytes {where}",
        "Keep what is remembered in the state, and sort what comes out of a set.",
    )
