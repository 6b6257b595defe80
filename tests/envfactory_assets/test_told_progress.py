"""Where a person sees how far a long stage is: on the command line and in the run's log."""

import logging
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import dagster as dg
import yaml

from envfactory_assets.told_progress import hearing_progress, tell_progress
from envfactory_resources.clients.language_model.progress import LOGGER_NAME, Progress
from envfactory_resources.home import CHECKOUT


def advance(what):
    """Tell of the first of two steps."""
    progress = Progress(what, "attempts", 2, every_seconds=0.0)
    progress.advance()
    progress.advance()


def test_the_command_line_says_what_stages_in_other_processes_tell():
    said = []
    spawn = multiprocessing.get_context("spawn")
    with (
        hearing_progress(spawn, said.append) as queue,
        ProcessPoolExecutor(2, spawn, tell_progress, (queue,)) as workers,
    ):
        list(workers.map(advance, ["candidates[travel]", "candidates[office]"]))

    assert sorted(line.split(",")[0] for line in said) == [
        "candidates[office]: 1 of 2 attempts",
        "candidates[travel]: 1 of 2 attempts",
    ]


def test_the_log_of_a_run_holds_it_too():
    @dg.op
    def works():
        advance("candidates[travel]")

    @dg.job
    def work():
        works()

    settings = yaml.safe_load((CHECKOUT / "dagster.yaml").read_text())
    level = logging.getLogger(LOGGER_NAME.partition(".")[0]).level
    with dg.DagsterInstance.ephemeral(settings={"python_logs": settings["python_logs"]}) as records:
        result = work.execute_in_process(
            instance=records,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
        lines = [entry.user_message for entry in records.all_logs(result.run_id)]
    logging.getLogger(LOGGER_NAME.partition(".")[0]).setLevel(level)

    assert any(line.startswith("candidates[travel]: 1 of 2 attempts, about ") for line in lines)
