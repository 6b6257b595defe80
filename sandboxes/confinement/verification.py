"""Verification of environments that nobody has reviewed: the gates run in a confined worker.

This process reads the source's rules, which takes no import, and only then sends the text to a
worker. What comes back is the word of unreviewed code: a file that got past the rules could forge
the report it is the subject of. So the report is parsed strictly, must be about the text that was
sent, and has to agree with what this process sees for itself: the tools of a fresh worker, and the
declared cases, run again through a confined session. What that leaves: a forged report may claim
gates that the cases do not show (determinism, parameters that matter) and any mutation score. It
gains an environment a place in the pool, where it still runs confined.

The gates stop a call after 5 s, a case after 10 s and a mutant after 3 s; the whole takes at most ten
minutes, making the calls again elsewhere one of these. A hang or a death is a finding.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pydantic import JsonValue, ValidationError

from sandboxes.confinement.loading import make_class
from sandboxes.confinement.messages import (
    Fault,
    ScriptReply,
    ScriptRequest,
    SubjectText,
    VerifyReply,
    VerifyRequest,
)
from sandboxes.confinement.replies import read_reply
from sandboxes.confinement.worker_pool import WorkerPool, shared_pool
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.errors import (
    ConfinementUnavailableError,
    EnvironmentFaultError,
    EnvironmentSourceError,
    SandboxError,
)
from sandboxes.verification.cases import CasesError, run_cases
from sandboxes.verification.execution import load_finding, read_source
from sandboxes.verification.other_process import HASH_SEEDS, Script
from sandboxes.verification.report import GATES, Finding, Report
from sandboxes.verification.subject import Subject
from sandboxes.verification.verify import report_on

_SECONDS = 600.0
_ELSEWHERE_SECONDS = 60.0
_FINDINGS = 500


def verify_confined(
    source: EnvironmentSource,
    *,
    mutation: bool = False,
    seed: int = 0,
    pool: WorkerPool | None = None,
) -> Report:
    """Put an environment that nobody has reviewed through the gates, in confined workers.

    Args:
        source: The environment.
        mutation: Whether to measure the mutation score, once every case passes.
        seed: What scenarios, arguments and the sample of mutants are drawn from.
        pool: Where workers come from; the pool of this process unless given.

    Raises:
        ConfinementUnavailableError: If nothing on this machine can confine it.
    """
    try:
        subject = Subject.read(source)
    except EnvironmentSourceError as error:
        return report_on(source, [load_finding(error)], ran=("execution",))
    findings, may_run = read_source(subject)
    if not may_run:
        return report_on(subject, findings, ran=("execution",))
    return verify_in_worker(subject, mutation=mutation, seed=seed, pool=pool or shared_pool())


def verify_in_worker(subject: Subject, *, mutation: bool, seed: int, pool: WorkerPool) -> Report:
    """Put a text through the gates in a confined worker, whatever its source looks like.

    Raises:
        ConfinementUnavailableError: If nothing on this machine can confine it.
    """
    try:
        text = SubjectText.of(subject)
        request = VerifyRequest(subject=text, mutation=mutation, seed=seed)
        reply = _verify(subject, request, pool)
        report = _read_report(subject, reply)
        doubts = _contradictions(subject, report, reply, pool) if report.passed else []
    except ConfinementUnavailableError:
        raise
    except (SandboxError, ValidationError, ValueError) as error:
        return report_on(subject, [_finding(str(error))], ran=("execution",))
    return report_on(subject, doubts, GATES, report.case_count) if doubts else report


def _verify(subject: Subject, request: VerifyRequest, pool: WorkerPool) -> VerifyReply:
    worker = pool.confinement().start()
    try:
        reply = worker.ask(
            request.as_message(), timeout_seconds=_SECONDS, serve=Elsewhere(subject, pool).answer
        )
    finally:
        worker.close()
    return read_reply(reply, VerifyReply)


class Elsewhere:
    """Makes calls again in workers with other hash seeds, once, for a worker that verifies."""

    def __init__(self, subject: Subject, pool: WorkerPool) -> None:
        """Serve the verification of one text."""
        self._subject = subject
        self._pool = pool
        self._is_spent = False

    def answer(self, question: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Answer what the worker asks back: digests, or why there are none."""
        try:
            script = Script.model_validate_json(ScriptRequest.model_validate(question).script)
            if self._is_spent or script.environment_id != self._subject.environment_id:
                raise EnvironmentFaultError("a verification asks for its own script, once")
            self._is_spent = True
            with ThreadPoolExecutor(len(HASH_SEEDS)) as threads:
                found = list(threads.map(partial(self._run, script), HASH_SEEDS))
        except (SandboxError, ValidationError) as error:
            return Fault(fault=str(error)[:1_000]).as_message()
        return ScriptReply(digests=found).as_message()

    def _run(self, script: Script, hash_seed: str) -> list[str]:
        request = ScriptRequest(script=script.model_dump_json())
        worker = self._pool.start_loaded(self._subject, int(hash_seed))
        try:
            reply = worker.ask(request.as_message(), timeout_seconds=_ELSEWHERE_SECONDS)
        finally:
            worker.close()
        digests = read_reply(reply, ScriptReply).digests
        count = len(script.seeds) + len(script.calls)
        if [len(run) for run in digests] != [count]:
            raise EnvironmentFaultError(f"a run of {count} scenarios and calls gave other digests")
        return digests[0]


def _read_report(subject: Subject, reply: VerifyReply) -> Report:
    """Return the report that a worker gave of a text.

    Raises:
        ValueError: If it is of another text, or contradicts itself.
    """
    report = Report.model_validate_json(reply.report)
    if (report.environment_id, report.source_hash) != (subject.environment_id, subject.source_hash):
        raise ValueError("the worker reported on another environment than it was sent")
    blamed = {finding.gate for finding in report.findings}
    failed = {gate for gate in GATES if report.outcomes.get(gate) == "failed"}
    if blamed != failed or report.outcomes.keys() != set(GATES) or len(report.findings) > _FINDINGS:
        raise ValueError("the worker's report names findings and failed gates that do not agree")
    return report


def _contradictions(
    subject: Subject, report: Report, reply: VerifyReply, pool: WorkerPool
) -> list[Finding]:
    """Return where a report that all is well disagrees with what this process sees."""
    environment = make_class(subject, lambda: pool)
    shown = [tool.schema_text() for tool in environment.tools.values()]
    if shown != reply.tools:
        return [_finding("the verified tools are not those that a fresh worker describes")]
    try:
        cases = subject.declared_cases()
        runs = run_cases(environment, subject.environment_id, cases)
    except (CasesError, EnvironmentFaultError) as error:
        return [_finding(f"the declared cases cannot be run again: {error}")]
    failures = [(run.case.name, run.failure) for run in runs if run.failure is not None]
    found = [
        _finding(
            f"case {name!r}, run again: {failure.expected} was expected, {failure.got} came",
            tool=failure.call.tool,
            call=json.dumps(failure.call.model_dump(mode="json"), ensure_ascii=False),
        )
        for name, failure in failures
    ]
    if len(cases) != report.case_count:
        found.append(_finding(f"{report.case_count} cases were verified, {len(cases)} declared"))
    return found


def _finding(got: str, *, tool: str | None = None, call: str | None = None) -> Finding:
    return Finding(
        gate="execution",
        tool=tool,
        fault="implementation",
        call=call,
        expected="the gates to run in confinement and to come to the same outcome when run again",
        got=got[:1_000],
        hint="Compute from the arguments and self.state only, in bounded time and memory.",
    )
