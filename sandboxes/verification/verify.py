"""Verification of one environment: the five gates and the mutation score, as one report."""

from collections.abc import Mapping, Sequence

from sandboxes.core.catalog import Catalog, EnvironmentSource
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import EnvironmentSourceError
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.cases import Case, CaseRun, CasesError, load_cases, run_cases
from sandboxes.verification.execution import (
    check_execution,
    load_finding,
    read_source,
    scenario_finding,
)
from sandboxes.verification.exploration import Exploration, explore, follow_cases
from sandboxes.verification.interface import check_interface
from sandboxes.verification.mutation import MutationOutcome, measure_mutation
from sandboxes.verification.parameters import check_parameters
from sandboxes.verification.report import GATES, Finding, Gate, GateOutcome, Report
from sandboxes.verification.results import cases_finding, check_results
from sandboxes.verification.state import check_state
from sandboxes.verification.wrong_arguments import wrong_calls


def verify(
    catalog: Catalog,
    environment_id: str,
    *,
    mutation: bool = False,
    seed: int = 0,
    served: Mapping[str, JsonObject] | None = None,
) -> Report:
    """Put an environment through the gates.

    A file whose source breaks the rules on imports and names is not imported: the gates that run
    it are skipped.

    Args:
        catalog: Where the environment is found.
        environment_id: The environment.
        mutation: Whether to measure the mutation score, once every case passes.
        seed: What scenarios, arguments and the sample of mutants are drawn from.
        served: Input schemas that a server shows, by wire name, to compare with the declared ones.

    Raises:
        UnknownEnvironmentError: If the catalog does not hold it.
    """
    source = catalog.source(environment_id)
    findings, may_import = read_source(source)
    if not may_import:
        return _report(source, findings, ran=("execution",))
    try:
        environment = catalog.load(environment_id)
    except EnvironmentSourceError as error:
        return _report(source, [*findings, load_finding(error)], ran=("execution",))
    findings += check_interface(environment, served)
    return _run(environment, source, findings, mutation=mutation, seed=seed)


def _run(
    environment: type[AnyEnvironment],
    source: EnvironmentSource,
    findings: Sequence[Finding],
    *,
    mutation: bool,
    seed: int,
) -> Report:
    cases, case_findings = _read_cases(source)
    findings = [*findings, *case_findings]
    try:
        exploration = explore(environment, source.environment_id, seed)
        runs = run_cases(environment, source.environment_id, cases)
        follow_cases(exploration, runs)
    except Exception as error:
        return _report(source, [*findings, scenario_finding(error)], ran=("interface", "execution"))
    findings = [*findings, *_run_gates(exploration, source, runs)]
    measured = None
    if mutation and all(finding.gate != "results" for finding in findings):
        measured = measure_mutation(environment, source, cases, seed)
    return _report(source, findings, GATES, len(cases), measured)


def _read_cases(source: EnvironmentSource) -> tuple[tuple[Case, ...], list[Finding]]:
    try:
        return load_cases(source), []
    except CasesError as error:
        return (), [cases_finding(error)]


def _run_gates(
    exploration: Exploration, source: EnvironmentSource, runs: Sequence[CaseRun]
) -> list[Finding]:
    wrong = wrong_calls(exploration)
    return [
        *check_execution(exploration, source),
        *check_results(exploration, wrong, runs),
        *check_state(exploration, wrong),
        *check_parameters(exploration),
    ]


def _report(
    source: EnvironmentSource,
    findings: Sequence[Finding],
    ran: Sequence[Gate],
    case_count: int = 0,
    mutation: MutationOutcome | None = None,
) -> Report:
    outcomes: dict[Gate, GateOutcome] = {}
    for gate in GATES:
        has_failed = any(finding.gate == gate for finding in findings)
        outcomes[gate] = "failed" if has_failed else "passed" if gate in ran else "skipped"
    return Report(
        environment_id=source.environment_id,
        source_hash=source.source_hash,
        findings=tuple(sorted(findings, key=lambda finding: GATES.index(finding.gate))),
        outcomes=outcomes,
        case_count=case_count,
        mutation_score=mutation.score if mutation else None,
        survivors=mutation.survivors if mutation else (),
    )
