"""Gate 3: declared cases pass, results keep their schema, wrong arguments are refused."""

from collections.abc import Iterator, Sequence

from sandboxes.core.canonical import canonical_json
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.attempts import Attempt
from sandboxes.verification.cases import Case, CaseRun, CasesError
from sandboxes.verification.exploration import Exploration
from sandboxes.verification.report import Fault, Finding
from sandboxes.verification.wrong_arguments import WrongCall

_COMPLEXITIES = ("simple", "medium", "complex", "boundary")


def check_results(
    exploration: Exploration, wrong: Sequence[WrongCall], runs: Sequence[CaseRun]
) -> list[Finding]:
    """Return where calls come to something else than declared."""
    attempts = [*exploration.attempts, *(call.attempt for call in wrong)]
    return [
        *_fault_findings(attempts),
        *_schema_findings(attempts),
        *_acceptance_findings(wrong),
        *_coverage_findings(exploration, [run.case for run in runs]),
        *_case_findings(runs),
    ]


def cases_finding(error: CasesError) -> Finding:
    """Return the finding that a missing or unreadable file of cases gives."""
    return _finding(
        None,
        "interface",
        None,
        "a file of declared test cases",
        str(error),
        "Declare cases: simple, medium, complex and boundary ones.",
    )


def _finding(
    tool: str | None, fault: Fault, call: str | None, expected: str, got: str, hint: str
) -> Finding:
    return Finding(
        gate="results",
        tool=tool,
        fault=fault,
        call=call,
        expected=expected,
        got=got,
        hint=hint,
    )


def _fault_findings(attempts: Sequence[Attempt]) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for attempt in attempts:
        kind = str(attempt.message).split(":")[0]
        if attempt.outcome == "fault" and (attempt.tool.name, kind) not in seen:
            seen.add((attempt.tool.name, kind))
            yield _finding(
                attempt.tool.wire_name,
                "implementation",
                attempt.call,
                "a result or a ToolError",
                str(attempt.message),
                "Check the arguments first and refuse with ToolError.",
            )


def _schema_findings(attempts: Sequence[Attempt]) -> Iterator[Finding]:
    seen: set[str] = set()
    for attempt in attempts:
        if attempt.result_fault is not None and attempt.tool.name not in seen:
            seen.add(attempt.tool.name)
            yield _finding(
                attempt.tool.wire_name,
                "schema",
                attempt.call,
                f"a {attempt.tool.result_type.__name__} that keeps its schema",
                attempt.result_fault,
                "Return what is declared, or declare what is returned.",
            )


def _acceptance_findings(wrong: Sequence[WrongCall]) -> Iterator[Finding]:
    for call in wrong:
        if call.attempt.is_ok:
            yield _finding(
                call.attempt.tool.wire_name,
                "implementation" if call.is_unknown_id else "schema",
                call.attempt.call,
                f"a ToolError for {call.problem}",
                f"the result {canonical_json(call.attempt.result)[:200]}",
                "Refuse what does not exist."
                if call.is_unknown_id
                else "Declare the argument's type so that others are refused.",
            )


def _coverage_findings(exploration: Exploration, cases: Sequence[Case]) -> Iterator[Finding]:
    if not cases:
        return
    missing = [kind for kind in _COMPLEXITIES if all(case.complexity != kind for case in cases)]
    if missing:
        yield _finding(
            None,
            "interface",
            None,
            f"declared cases of every kind: {', '.join(_COMPLEXITIES)}",
            f"no {' and no '.join(missing)} case",
            "Add such a case.",
        )
    calls = [call for case in cases for call in case.calls]
    for tool in exploration.tools:
        takes_id = any(p.identifier is not None and not p.speakable for p in tool.inputs)
        needed = ["ok", "refused"] if takes_id else ["ok"]
        declared = {call.expect for call in calls if call.tool == tool.name}
        lacking = [expect for expect in needed if expect not in declared]
        if lacking:
            yield _finding(
                tool.wire_name,
                "interface",
                None,
                f"declared cases that expect {' and '.join(needed)} of it",
                f"none that expects {' or '.join(lacking)}",
                "Add the missing case.",
            )


def _case_findings(runs: Sequence[CaseRun]) -> Iterator[Finding]:
    for run in runs:
        if run.failure is None:
            continue
        call: JsonObject = {
            "scenario_seed": run.case.seed,
            "tool": run.failure.call.tool,
            "arguments": run.failure.call.arguments,
            "case": run.case.name,
        }
        yield _finding(
            run.failure.call.tool,
            "implementation",
            canonical_json(call),
            run.failure.expected,
            run.failure.got,
            f"Mend the tool, or the case {run.case.name!r} if it is the case that is wrong.",
        )
