"""The command that evaluates the model at a profile's endpoint."""

import os

import typer
from rich.table import Table

from envfactory_assets.console import (
    clear_errors,
    console,
    prepare_home,
    show_leg,
    show_progress,
)
from envfactory_assets.records.training import EvaluationRow
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.language_model import language_model_of
from envfactory_resources.profiles import load_profile

_HEAD = ("tasks", "count", "reward", "95 %", "solved", "pass@1", "faults")


def add_endpoint_command(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("evaluate")(evaluate)


def evaluate() -> None:
    """Evaluate the model at the endpoint of the profile on the held-out tasks of the home."""
    from envfactory_assets.jobs import ENDPOINT_JOB
    from envfactory_assets.main_job import in_processes

    has_failed = False
    with clear_errors():
        home = prepare_home()
        profile = load_profile(os.environ)
        model = language_model_of(profile, os.environ).model
        with in_processes(1, show_progress) as run_legs:
            for leg in run_legs(ENDPOINT_JOB, [None]):
                has_failed = has_failed or bool(leg.failures)
                show_leg(leg)
        if not has_failed:
            _show(home, model)
    if has_failed:
        raise typer.Exit(1)


def _show(home: Home, model: str) -> None:
    rows = Warehouse(home.root).read("endpoint_evaluation", EvaluationRow)
    k = rows[0].k if rows else 1
    table = Table(*_HEAD[:-1], f"pass@{k}", _HEAD[-1], title=f"{model} on held-out tasks")
    for row in rows:
        if row.slice_by == "error_class":
            continue
        table.add_row(
            row.slice if row.slice_by != "all" else row.split.replace("_", " "),
            str(row.task_count),
            f"{row.reward:.3f}",
            f"{row.reward_low:.3f} to {row.reward_high:.3f}",
            f"{row.solved_share:.3f}",
            "-" if row.pass_1 is None else f"{row.pass_1:.3f}",
            "-" if row.pass_k is None else f"{row.pass_k:.3f}",
            str(row.fault_count),
        )
    console.print(table)
