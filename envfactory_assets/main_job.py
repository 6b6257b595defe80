"""The main job: every domain from environments to a trained policy, one leg after the other."""

import multiprocessing
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing.context import SpawnContext

import dagster as dg

from envfactory_assets.jobs import (
    DATASET_JOB,
    ENVIRONMENT_JOB,
    LINK_JOB,
    TASK_JOB,
    TRAINING_JOB,
)
from envfactory_assets.partitions import DOMAINS
from envfactory_assets.told_progress import ProgressQueue, hearing_progress, tell_progress
from envfactory_resources.errors import ConfigurationError

_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
_KILLED = (
    "a process of this run was killed from outside, perhaps because memory ran out; run again, "
    "with --processes 1 if it happens again: what was committed is kept"
)


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


LegRunner = Callable[[str, Sequence[str | None]], Iterator[LegOutcome]]
"""Runs a job once for each partition and yields the outcomes as they come."""


def run_main_job(
    run_legs: LegRunner, domains: Sequence[str], *, with_training: bool = True
) -> Iterator[LegOutcome]:
    """Run the legs and yield each outcome as it comes.

    A domain that fails stops; the others go on. Datasets and training run only when every domain
    asked for succeeded, so that nothing is trained on half of the data by accident.

    Args:
        run_legs: Runs the legs: one after the other, or in several processes.
        domains: The domains to run.
        with_training: Whether to train and evaluate after the datasets.
    """
    failed: set[str] = set()

    def legs(job: str, partitions: Sequence[str | None]) -> Iterator[LegOutcome]:
        for outcome in run_legs(job, partitions):
            if outcome.failures:
                failed.add(outcome.domain or job)
            yield outcome

    yield from legs(ENVIRONMENT_JOB, domains)
    able = [domain for domain in domains if domain not in failed]
    if able:
        yield from legs(LINK_JOB, [None])
    if able and LINK_JOB not in failed:
        yield from legs(TASK_JOB, able)
    if not failed:
        yield from legs(TRAINING_JOB if with_training else DATASET_JOB, [None])


def in_this_process(definitions: dg.Definitions, instance: dg.DagsterInstance) -> LegRunner:
    """Return a runner that runs legs one after the other, here."""

    def run_legs(job: str, partitions: Sequence[str | None]) -> Iterator[LegOutcome]:
        for domain in partitions:
            yield run_leg(definitions, instance, job, domain)

    return run_legs


@contextmanager
def in_processes(count: int, say: Callable[[str], None]) -> Generator[LegRunner]:
    """Give a runner that runs the domains of a leg in several processes of their own.

    The processes load the definitions and Dagster's instance from the environment variables.

    Args:
        count: How many processes.
        say: Is given the lines by which long stages tell how far they are.
    """
    # Dagster's storage is made by one process before several open it.
    dg.DagsterInstance.get().dispose()
    context = multiprocessing.get_context("spawn")
    with hearing_progress(context, say) as progress, ExitStack() as pools:
        pool = pools.enter_context(_workers(count, context, progress))

        def run_legs(job: str, partitions: Sequence[str | None]) -> Iterator[LegOutcome]:
            nonlocal pool
            if job == TRAINING_JOB:
                # The workers keep what they loaded, and training needs the memory.
                pool.shutdown()
                pool = pools.enter_context(_workers(1, context, progress))
            unfinished = list(partitions)
            try:
                waiting = [pool.submit(_run_loaded, job, domain) for domain in partitions]
                for future in as_completed(waiting):
                    unfinished.remove(future.result().domain)
                    yield future.result()
            except BrokenProcessPool:
                for domain in unfinished:
                    yield LegOutcome(job, domain, {}, [], [_KILLED], 0.0)

        yield run_legs


def _workers(count: int, context: SpawnContext, progress: ProgressQueue) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        count, mp_context=context, initializer=_prepare, initargs=(progress,)
    )


def known_domains(asked: Sequence[str]) -> list[str]:
    """Return the domains asked for, or all of them.

    Raises:
        ConfigurationError: If one does not exist.
    """
    every = list(DOMAINS.get_partition_keys())
    unknown = [domain for domain in asked if domain not in every]
    if unknown:
        raise ConfigurationError(
            f"Unknown domain {unknown[0]!r}; available: {', '.join(every)}. Name some of them, or "
            "none to run them all."
        )
    return list(asked) or every


def _prepare(progress: ProgressQueue) -> None:
    """Prepare a worker: Dagster warns of its own beta parameters once a process."""
    tell_progress(progress)
    for category in (dg.BetaWarning, dg.PreviewWarning):
        warnings.filterwarnings("ignore", category=category)


@cache
def _loaded() -> tuple[dg.Definitions, dg.DagsterInstance]:
    from envfactory_assets.definitions import build_definitions

    return build_definitions(), dg.DagsterInstance.get()


def _run_loaded(job: str, domain: str | None) -> LegOutcome:
    definitions, instance = _loaded()
    return run_leg(definitions, instance, job, domain)


def run_leg(
    definitions: dg.Definitions, instance: dg.DagsterInstance, job: str, domain: str | None
) -> LegOutcome:
    """Run one job, on one partition where it has them, and say how it ended."""
    began = time.monotonic()
    result = definitions.resolve_job_def(job).execute_in_process(
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
    """Return what failed: missed checks, and the errors that Dagster wrapped."""
    if result.success:
        return []
    missed = [
        f"check {item.check_name} of {item.asset_key.path[-1]}: {item.description}"
        for item in result.get_asset_check_evaluations()
        if not item.passed and item.severity is dg.AssetCheckSeverity.ERROR
    ]
    errors = [line for event in result.all_events if (line := _error_line(event))]
    return missed + errors or ["the run failed; open it in the UI for its log"]


def _error_line(event: dg.DagsterEvent) -> str | None:
    """Return what went wrong in a step or while resources were made; None for other events."""
    if event.event_type is dg.DagsterEventType.RESOURCE_INIT_FAILURE:
        name, error = "configuration", event.engine_event_data.error
    elif event.is_step_failure:
        name, error = event.step_key, event.step_failure_data.error
        told = event.step_failure_data.user_failure_data
        if told is not None and told.description:
            return f"{name}: {told.description}"
    else:
        return None
    if error is not None and error.cause is not None:
        error = error.cause
    if error is None or "DagsterAssetCheckFailedError" in str(error.cls_name):
        return None
    return f"{name}: {error.message.strip()}"
