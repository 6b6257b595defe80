"""Commands about the pool: documents in, proposals decided, environments generated and promoted."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Column, Table

from envfactory_assets.console import (
    clear_errors,
    console,
    prepare_home,
    show_leg,
    show_progress,
    working_profile,
)
from envfactory_assets.records.attempts import EnvironmentAttempt
from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.attempts.costs import cost_rows
from envfactory_assets.stages.proposals.decisions import Decision, editable, write_decision
from envfactory_assets.stages.proposals.document_keeping import keep_document
from envfactory_resources.clients.mcp_tools.listing import list_tools
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.home import Home
from envfactory_resources.promotion import demote, promote
from envfactory_resources.sandbox_pool import SandboxPool

DomainNames = Annotated[list[str] | None, typer.Option("--domain", help="Only these domains.")]
EnvironmentId = Annotated[str, typer.Argument(metavar="DOMAIN.NAME")]
Reason = Annotated[str, typer.Option(help="Why.")]


def add_pool_commands(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("generate")(generate)
    app.command("import")(import_document)
    app.command("proposals")(proposals)
    app.command("decide")(decide)
    app.command("promote")(promote_environment)
    app.command("demote")(demote_environment)


def generate(
    domain: DomainNames = None,
    processes: Annotated[int, typer.Option(min=1, help="Domains that run at once.")] = 2,
) -> None:
    """Propose, write, verify and promote environments, and rebuild the tool graphs."""
    from envfactory_assets.jobs import ENVIRONMENT_JOB
    from envfactory_assets.main_job import in_processes, known_domains

    has_failed = False
    with clear_errors():
        home = prepare_home()
        working_profile(home)
        asked = known_domains(domain or [])
        with in_processes(processes, show_progress) as run_legs:
            for leg in run_legs(ENVIRONMENT_JOB, asked):
                has_failed = has_failed or bool(leg.failures)
                show_leg(leg)
        _show_proposals(Warehouse(home.root), asked)
        _show_attempts(Warehouse(home.root), asked)
    if has_failed:
        raise typer.Exit(1)


def import_document(
    domain: Annotated[str, typer.Option(help="The domain that its environment will belong to.")],
    name: Annotated[str, typer.Option(help="The short name that its environment will have.")],
    file: Annotated[
        Path | None, typer.Argument(help="An OpenAPI 3 file, a tool list, or published metadata.")
    ] = None,
    mcp_command: Annotated[str, typer.Option(help="Command of an MCP server to list.")] = "",
    mcp_url: Annotated[str, typer.Option(help="Address of an MCP server to list.")] = "",
) -> None:
    """Keep a document in the home; `generate` makes a proposal and an environment of it."""
    with clear_errors():
        home = prepare_home()
        if file is not None and not (mcp_command or mcp_url):
            path = keep_document(home.documents, domain, name, file)
        else:
            listed = list_tools(command=shlex.split(mcp_command), url=mcp_url)
            path = keep_document(home.documents, domain, name, listed)
    console.print(f"Kept as {path}. Now: make generate DOMAIN={domain}", soft_wrap=True)


def proposals(domain: DomainNames = None) -> None:
    """List the proposals and what became of them."""
    with clear_errors():
        _show_proposals(Warehouse(Home.from_variables(os.environ).root), domain)


def decide(
    environment_id: EnvironmentId,
    verdict: Annotated[Literal["approve", "edit", "veto"], typer.Argument()],
    reason: Reason = "",
) -> None:
    """Approve or veto a proposal, or write it down to be edited; it counts at the next `generate`."""
    with clear_errors():
        home = Home.from_variables(os.environ)
        proposal = _proposal(Warehouse(home.root), environment_id)
        if verdict == "edit":
            decision = editable(proposal, reason)
        elif verdict == "veto" and not reason.strip():
            raise ConfigurationError("A veto needs a reason; give it with --reason.")
        else:
            decision = Decision(verdict=verdict, reason=reason)
        path = write_decision(home.decisions, proposal.domain, proposal.name, decision)
    told = "Edit it, then run" if verdict == "edit" else "Now:"
    console.print(
        f"Written to {path}. {told} make generate DOMAIN={proposal.domain}", soft_wrap=True
    )


def promote_environment(
    environment_id: EnvironmentId,
    reviewed: Annotated[
        bool, typer.Option(help="You have read the code: put it among the reviewed ones.")
    ] = False,
) -> None:
    """Write an accepted environment into the pool, where its code runs confined."""
    with clear_errors():
        home = Home.from_variables(os.environ)
        attempt = _last_attempt(Warehouse(home.root), environment_id)
        path = promote(SandboxPool(unreviewed=home.pool), attempt, is_reviewed=reviewed)
    console.print(f"Promoted to {path}.", soft_wrap=True)


def demote_environment(environment_id: EnvironmentId) -> None:
    """Remove an environment from the pool; its rows stay in the warehouse."""
    with clear_errors():
        path = demote(SandboxPool(unreviewed=Home.from_variables(os.environ).pool), environment_id)
    console.print(f"Removed {path}.", soft_wrap=True)


def _proposal(warehouse: Warehouse, environment_id: str) -> EnvironmentProposal:
    rows = warehouse.read("environment_proposals", EnvironmentProposal)
    for row in rows:
        if row.environment_id == environment_id:
            return row
    there = [row.environment_id for row in rows]
    raise ConfigurationError(
        f"{environment_id!r} is not proposed; there are {there or 'no proposals'}. Run "
        "`make generate` first."
    )


def _last_attempt(warehouse: Warehouse, environment_id: str) -> EnvironmentAttempt:
    rows = warehouse.read("environment_attempts", EnvironmentAttempt)
    for row in rows:
        if row.environment_id == environment_id and row.is_final:
            return row
    there = sorted({row.environment_id for row in rows if row.outcome == "accepted"})
    raise ConfigurationError(
        f"Nobody attempted {environment_id!r}; accepted environments: {there or 'none'}."
    )


def _show_proposals(warehouse: Warehouse, domains: list[str] | None) -> None:
    rows = warehouse.read("environment_proposals", EnvironmentProposal, domains)
    if not rows:
        console.print("No environment is proposed; see docs/generating.md for how to propose some.")
        return
    attempts = warehouse.read("environment_attempts", EnvironmentAttempt, domains)
    ended = {row.environment_id: row.outcome for row in attempts if row.is_final}
    table = _table("status", "origin", "tools", "overlap", "ended as")
    for row in rows:
        table.add_row(
            row.environment_id,
            row.status,
            row.origin,
            f"{len(row.tools)}",
            f"{row.overlap:.2f}",
            ended.get(row.environment_id, ""),
        )
    console.print(table)
    _tell({row.environment_id: row.status_reason for row in rows if row.status_reason})


def _show_attempts(warehouse: Warehouse, domains: list[str]) -> None:
    rows = warehouse.read("environment_attempts", EnvironmentAttempt, domains)
    if not rows:
        return
    table = _table("ended as", "rounds", "requests", "tokens in", "tokens out")
    for cost in cost_rows(rows):
        used = cost.usage
        counts = (cost.attempt_count, used.request_count, used.all_input_tokens, used.output_tokens)
        table.add_row(cost.environment_id, cost.outcome, *(f"{count:,}" for count in counts))
    console.print(table)
    _tell({row.environment_id: row.reason for row in rows if row.is_final})


def _table(*columns: str) -> Table:
    """Return a table whose first column names environments in full."""
    return Table(Column("environment", no_wrap=True), *columns)


def _tell(reasons: Mapping[str, str]) -> None:
    for environment_id, reason in reasons.items():
        console.print(f"{environment_id}: {escape(reason)}", soft_wrap=True)
