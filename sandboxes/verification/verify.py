"""Verification of one environment: the five gates and the mutation score, as one report."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sandboxes.core.catalog import Catalog, EnvironmentSource
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import EnvironmentSourceError, UnreviewedEnvironmentError
from sandboxes.core.parameters import JsonObject
from sandboxes.verification.cases import Case, CaseRun, CasesError, run_cases
from sandboxes.verification.execution import (
    check_execution,
    load_finding,
    read_source,
    scenario_finding,
)
from sandboxes.verification.exploration import Exploration, explore, follow_cases
from sandboxes.verification.interface import check_interface
from sandboxes.verification.mutation import MutationOutcome, measure_mutation
from sandboxes.verification.other_process import RunElsewhere, in_fresh_processes
from sandboxes.verification.parameters import check_parameters
from sandboxes.verification.report import GATES, Finding, Gate, GateOutcome, Report
from sandboxes.verification.results import cases_finding, check_results
from sandboxes.verification.state import check_state
from sandboxes.verification.subject import Subject
from sandboxes.verification.wrong_arguments import wrong_calls


def verify(
    catalog: Catalog,
    environment_id: str,
    *,
    mutation: bool = False,
    seed: int = 0,
    served: Mapping[str, JsonObject] | None = None,
) -> Report:
    """Put a reviewed environment through the gates, in this process.

    A file whose source breaks the rules on imports and names is not imported: the gates that run
    it are skipped. What nobody has reviewed goes to `sandboxes.confinement.verification` instead.

    Args:
        catalog: Where the environment is found.
        environment_id: The environment.
        mutation: Whether to measure the mutation score, once every case passes.
        seed: What scenarios, arguments and the sample of mutants are drawn from.
        served: Input schemas that a server shows, by wire name, to compare with the declared ones.

    Raises:
        UnknownEnvironmentError: If the catalog does not hold it.
        UnreviewedEnvironmentError: If nobody has reviewed it.
    """
    source = catalog.source(environment_id)
    if source.origin != "shipped":
        raise UnreviewedEnvironmentError(
            f"{environment_id} is {source.origin}: nobody has reviewed its code, so no gate runs it "
            "here. Use verify_confined (sandboxes.confinement.verification)."
        )
    try:
        subject = Subject.read(source)
    except EnvironmentSourceError as error:
        return report_on(source, [load_finding(error)], ran=("execution",))
    return verify_subject(
        subject,
        partial(catalog.load, environment_id),
        in_fresh_processes(source),
        mutation=mutation,
        seed=seed,
        served=served,
    )


def verify_subject(
    subject: Subject,
    load: Callable[[], type[AnyEnvironment]],
    run_elsewhere: RunElsewhere,
    *,
    mutation: bool,
    seed: int,
    served: Mapping[str, JsonObject] | None = None,
) -> Report:
    """Put the text of an environment through the gates, in this process.

    Args:
        subject: The text.
        load: What runs it and gives its class; it may raise `EnvironmentSourceError`.
        run_elsewhere: What makes calls again in other processes.
        mutation: Whether to measure the mutation score, once every case passes.
        seed: What scenarios, arguments and the sample of mutants are drawn from.
        served: Input schemas that a server shows, by wire name, to compare with the declared ones.
    """
    findings, may_import = read_source(subject)
    if not may_import:
        return report_on(subject, findings, ran=("execution",))
    try:
        environment = load()
    except EnvironmentSourceError as error:
        return report_on(subject, [*findings, load_finding(error)], ran=("execution",))
    findings += check_interface(environment, served)
    cases, case_findings = _read_cases(subject)
    findings += case_findings
    try:
        exploration = explore(environment, subject.environment_id, seed)
        runs = run_cases(environment, subject.environment_id, cases)
        follow_cases(exploration, runs)
    except Exception as error:
        return report_on(
            subject, [*findings, scenario_finding(error)], ran=("interface", "execution")
        )
    findings += _run_gates(exploration, run_elsewhere, runs)
    measured = None
    if mutation and all(finding.gate != "results" for finding in findings):
        measured = measure_mutation(environment, subject, cases, seed)
    return report_on(subject, findings, GATES, len(cases), measured)


def _read_cases(subject: Subject) -> tuple[tuple[Case, ...], list[Finding]]:
    try:
        return subject.declared_cases(), []
    except CasesError as error:
        return (), [cases_finding(error)]


def _run_gates(
    exploration: Exploration, run_elsewhere: RunElsewhere, runs: Sequence[CaseRun]
) -> list[Finding]:
    wrong = wrong_calls(exploration)
    return [
        *check_execution(exploration, run_elsewhere),
        *check_results(exploration, wrong, runs),
        *check_state(exploration, wrong),
        *check_parameters(exploration),
    ]


def report_on(
    subject: Subject | EnvironmentSource,
    findings: Sequence[Finding],
    ran: Sequence[Gate],
    case_count: int = 0,
    mutation: MutationOutcome | None = None,
) -> Report:
    """Return the report of some findings; a gate that was not run and found nothing is skipped."""
    outcomes: dict[Gate, GateOutcome] = {}
    for gate in GATES:
        has_failed = any(finding.gate == gate for finding in findings)
        outcomes[gate] = "failed" if has_failed else "passed" if gate in ran else "skipped"
    return Report(
        environment_id=subject.environment_id,
        source_hash=subject.source_hash,
        findings=tuple(sorted(findings, key=lambda finding: GATES.index(finding.gate))),
        outcomes=outcomes,
        case_count=case_count,
        mutation_score=mutation.score if mutation else None,
        survivors=mutation.survivors if mutation else (),
    )
