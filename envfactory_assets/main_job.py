"""The main job: every domain from environments to a trained policy, one leg after the other."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import dagster as dg

from envfactory_assets.jobs import (
    DATASET_JOB,
    ENVIRONMENT_JOB,
    LINK_JOB,
    TASK_JOB,
    TRAINING_JOB,
)
from envfactory_assets.partitions import DOMAINS

_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True)
class LegOutcome:
    """How one run of the main job ended.

    Attributes:
        job: The job that ran.
        domain: Its partition; None where the job has none.
        row_counts: Rows by asset.
        unchanged: The assets whose inputs had not changed.
        failures: What went wrong, one line each; empty when it succeeded.
        seconds: Wall time.
    """

    job: str
    domain: str | None
    row_counts: Mapping[str, int]
    unchanged: Sequence[str]
    failures: Sequence[str]
    seconds: float


def run_main_job(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    domains: Sequence[str],
    *,
    with_training: bool = True,
    starting: Callable[[str, str | None], None] = lambda _job, _domain: None,
) -> Iterator[LegOutcome]:
    """Run the legs and yield each outcome as it comes.

    A domain that fails stops; the others go on. Datasets and training run only when every domain
    asked for succeeded, so that nothing is trained on half of the data by accident.

    Args:
        definitions: What Dagster loads.
        instance: Where runs are recorded.
        domains: The domains to run.
        with_training: Whether to train and evaluate after the datasets.
        starting: Told of each leg before it runs.
    """
    failed: set[str] = set()

    def leg(job: str, domain: str | None) -> LegOutcome:
        starting(job, domain)
        outcome = _run(definitions, instance, job, domain)
        if outcome.failures:
            failed.add(domain or job)
        return outcome

    for domain in domains:
        yield leg(ENVIRONMENT_JOB, domain)
    if not failed or set(domains) - failed:
        yield leg(LINK_JOB, None)
    for domain in domains:
        if domain not in failed and LINK_JOB not in failed:
            yield leg(TASK_JOB, domain)
    if not failed:
        yield leg(TRAINING_JOB if with_training else DATASET_JOB, None)


def known_domains(asked: Sequence[str]) -> list[str]:
    """Return the domains asked for, or all of them.

    Raises:
        ValueError: If one does not exist.
    """
    every = list(DOMAINS.get_partition_keys())
    unknown = [domain for domain in asked if domain not in every]
    if unknown:
        raise ValueError(f"Unknown domain {unknown[0]!r}; available: {', '.join(every)}.")
    return list(asked) or every


def _run(
    definitions: dg.Definitions, instance: dg.DagsterInstance, job: str, domain: str | None
) -> LegOutcome:
    began = time.monotonic()
    result = definitions.get_job_def(job).execute_in_process(
        instance=instance, partition_key=domain, raise_on_error=False, run_config=_QUIET
    )
    counts: dict[str, int] = {}
    unchanged: list[str] = []
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        asset = materialization.asset_key.path[-1]
        counts[asset] = int(str(materialization.metadata["dagster/row_count"].value))
        if materialization.metadata["unchanged"].value != "none":
            unchanged.append(asset)
    return LegOutcome(job, domain, counts, unchanged, _failures(result), time.monotonic() - began)


def _failures(result: dg.ExecuteInProcessResult) -> list[str]:
    """Return what failed: missed checks first, else the innermost errors."""
    if result.success:
        return []
    missed = [
        f"check {item.check_name} of {item.asset_key.path[-1]}: {item.description}"
        for item in result.get_asset_check_evaluations()
        if not item.passed and item.severity is dg.AssetCheckSeverity.ERROR
    ]
    errors: list[str] = []
    for event in result.get_step_failure_events():
        error = event.step_failure_data.error
        while error is not None and error.cause is not None:
            error = error.cause
        if error is not None and "DagsterAssetCheckFailedError" not in str(error.cls_name):
            errors.append(f"{event.step_key}: {error.message.strip()}")
    return missed + errors or ["the run failed; open it in the UI for its log"]
