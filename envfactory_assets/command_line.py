"""The command line: `envfactory run`, `generate`, `summary`, `versions` and others."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from envfactory_assets.console import (
    clear_errors,
    console,
    prepare_home,
    show_leg,
    show_progress,
    working_profile,
)
from envfactory_assets.endpoint_command import add_endpoint_command
from envfactory_assets.pool_commands import add_pool_commands
from envfactory_assets.summary import Summary, summarize
from envfactory_assets.training_progress import following_training
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.home import Home
from envfactory_resources.profiles import load_profile

if TYPE_CHECKING:
    pass

app = typer.Typer(
    help="Executable tool environments, verified tasks and a training job, as Dagster assets.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
add_pool_commands(app)
add_endpoint_command(app)
_STAGES = ("before_training", "after_sft", "after_grpo")


@app.command()
def run(
    domain: Annotated[list[str] | None, typer.Option(help="Only these domains.")] = None,
    training: Annotated[bool, typer.Option(help="Train and evaluate at the end.")] = True,
    processes: Annotated[int, typer.Option(min=1, help="Domains that run at once.")] = 2,
) -> None:
    """Run the main job on the profile that ENVFACTORY_PROFILE names, and show a summary."""
    with clear_errors():
        home = prepare_home()
        profile = working_profile(home)
        has_failed = _run_legs(domain or [], with_training=training, processes=processes)
        console.print()
        _show(summarize(Warehouse(home.root)), profile.name)
    if has_failed:
        console.print("[red]Some legs failed; what had succeeded is kept. Mend and run again.[/]")
        raise typer.Exit(1)


@app.command()
def summary() -> None:
    """Show what the warehouse holds."""
    with clear_errors():
        home = Home.from_variables(os.environ)
        _show(summarize(Warehouse(home.root)), load_profile(os.environ).name)


@app.command()
def versions(asset: Annotated[str | None, typer.Argument(help="Only this asset.")] = None) -> None:
    """List the versions in the warehouse, oldest first."""
    table = Table("version", "rows", "made at", "run", "parents")
    with clear_errors():
        found = Warehouse(Home.from_variables(os.environ).root).versions()
        known = sorted({version.asset for version in found})
        if asset and asset not in known:
            raise ConfigurationError(f"No version of {asset!r}; there are versions of {known}.")
    for version in found:
        if asset not in (None, version.asset):
            continue
        made_at = version.created_at.isoformat(timespec="seconds")
        parents = str(len(version.parents))
        table.add_row(
            version.version_id, str(version.row_count), made_at, version.run_id[:8], parents
        )
    console.print(table)


@app.command()
def collect_garbage(
    keep: Annotated[int, typer.Option(min=0, help="Superseded versions to keep a partition.")] = 1,
    dry_run: Annotated[bool, typer.Option(help="Only say what would go.")] = False,
) -> None:
    """Remove superseded versions and files that no version owns."""
    with clear_errors():
        warehouse = Warehouse(Home.from_variables(os.environ).root)
        report = warehouse.collect_garbage(keep, dry_run=dry_run)
    console.print(
        f"{len(report.removed_versions)} versions and {len(report.removed_files)} files, "
        f"{report.freed_bytes} bytes{' would go' if dry_run else ' removed'}."
    )


def _run_legs(domains: list[str], *, with_training: bool, processes: int) -> bool:
    from envfactory_assets.main_job import in_processes, known_domains, run_main_job

    asked = known_domains(domains)
    has_failed = False
    checkpoints = Home.from_variables(os.environ).checkpoints
    with (
        in_processes(processes, show_progress) as run_legs,
        console.status("working") as status,
        following_training(checkpoints, console.print),
    ):
        for leg in run_main_job(run_legs, asked, with_training=with_training):
            has_failed = has_failed or bool(leg.failures)
            show_leg(leg)
            status.update(f"working; {leg.job.removesuffix('_job')} {leg.domain or ''} is done")
    return has_failed


def _show(summary: Summary, profile: str) -> None:
    table = Table(title=f"EnvFactory, profile {profile}", show_header=False)
    for name, number in summary.figures.items():
        table.add_row(name, f"{number}")
    for reason, count in summary.dropped.items():
        table.add_row(f"  dropped: {reason}", f"{count}")
    console.print(table)
    if summary.rewards:
        rewards = Table("mean reward", *(stage.replace("_", " ") for stage in _STAGES))
        for split, by_stage in summary.rewards.items():
            cells = [f"{by_stage[stage]:.3f}" if stage in by_stage else "-" for stage in _STAGES]
            rewards.add_row(split, *cells)
        console.print(rewards)
    for name, path in summary.files.items():
        console.print(f"{name}: {_shown(path)}")


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


if __name__ == "__main__":
    app()
