"""What every command of the command line does alike: errors, the home, legs as they end."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape

from envfactory_assets.stages.proposals.decision_errors import DecisionError
from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_resources.clients.embedding.errors import EmbeddingError
from envfactory_resources.clients.mcp_tools.errors import McpToolsError
from envfactory_resources.clients.warehouse.errors import WarehouseError, reporting_storage
from envfactory_resources.embedding_model import embedding_of
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.home import CHECKOUT, Home
from envfactory_resources.profiles import Profile, load_profile
from envfactory_resources.roles import roles_of

if TYPE_CHECKING:
    from envfactory_assets.main_job import LegOutcome

console = Console(highlight=False)


@contextmanager
def clear_errors() -> Generator[None]:
    """End with one sentence and exit code 2, where what the user gave cannot be used."""
    try:
        yield
    except (
        ConfigurationError,
        DecisionError,
        DocumentError,
        EmbeddingError,
        McpToolsError,
        WarehouseError,
    ) as error:
        Console(stderr=True, highlight=False).print(f"[red]{escape(str(error))}[/]", soft_wrap=True)
        raise typer.Exit(2) from error


def prepare_home() -> Home:
    """Make the home, and point Dagster's instance at it."""
    home = Home.from_variables(os.environ)
    with reporting_storage("make", home.dagster):
        home.dagster.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("ENVFACTORY_HOME", str(home.root))
    os.environ.setdefault("ENVFACTORY_DAGSTER_STORAGE", str(home.dagster))
    os.environ.setdefault("DAGSTER_HOME", str(CHECKOUT))
    return home


def working_profile(home: Home) -> Profile:
    """Return the profile, once its models and roles are known to be there."""
    profile = load_profile(os.environ)
    embedding_of(profile, home)
    roles_of(profile)
    return profile


def show_progress(line: str) -> None:
    """Print how far a long stage is."""
    console.print(f"  {line}", style="dim", markup=False, soft_wrap=True)


def show_leg(leg: "LegOutcome") -> None:
    """Print how one leg ended: counts, whether anything changed, what failed."""
    name = f"{leg.job.removesuffix('_job'):<12} {leg.domain or 'all domains':<12}"
    counts = ", ".join(
        f"{count} {asset.replace('_', ' ')}" for asset, count in leg.row_counts.items()
    )
    note = " (unchanged)" if leg.row_counts and len(leg.unchanged) == len(leg.row_counts) else ""
    console.print(f"{name} {leg.seconds:6.1f} s  {counts}{note}", soft_wrap=True)
    for failure in leg.failures:
        console.print(f"  [red]{escape(failure)}[/red]", soft_wrap=True)
