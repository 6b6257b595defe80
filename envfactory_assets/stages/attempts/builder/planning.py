"""From a proposal to what can be built of it, and what cannot, in sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from envfactory_assets.records.proposals import (
    EnvironmentProposal,
    ProposedEntity,
    ProposedField,
    ProposedTool,
)
from envfactory_assets.stages.attempts.builder.blueprint import Blueprint, Column, Table, ToolPlan
from envfactory_assets.stages.attempts.builder.draw_order import in_draw_order
from envfactory_assets.stages.attempts.builder.fields import settled_fields
from envfactory_assets.stages.attempts.builder.layout import tidy
from envfactory_assets.stages.attempts.builder.names import (
    Names,
    class_names,
    field_name,
    id_prefix,
    method_names,
    pascal,
    plural,
    snake,
    table_names,
    words,
)
from envfactory_assets.stages.attempts.builder.tool_choice import balanced, by_worth
from envfactory_assets.stages.attempts.builder.tool_planning import plan_tool
from envfactory_assets.stages.attempts.errors import UnsupportedProposalError, UnsupportedToolError

_LABELS = ("name", "title", "subject", "label", "headline", "code", "number", "username", "email")
_UNIQUE = frozenset({"name", "code", "username", "slug", "sku", "handle"})
_WIRE_NAME_LENGTH = 64


def plan(proposal: EnvironmentProposal, most_tools: int | None = None) -> Blueprint:
    """Work out what to build.

    Args:
        proposal: What is proposed.
        most_tools: How many tools there may be; those of least worth go. No limit when None.

    Raises:
        UnsupportedProposalError: If no tool can be built, or none that writes.
    """
    name = proposal.environment_id.split(".")[-1]
    classes = class_names()
    class_name = classes.claim(pascal(snake(name)), "Service")
    state_class = classes.claim(f"{class_name}State", "Model")
    tables = _tables(proposal, classes)
    tools, left_out = _chosen_tools(proposal, tables, most_tools)
    if not tools:
        told = " ".join(left_out) or "it proposes no tools."
        raise UnsupportedProposalError(
            f"Nothing of {proposal.environment_id} can be built by rules: {told} Tools have to "
            "create, read, update, delete, list or search an entity, one at least has to write."
        )
    kept = _needed(tools, list(tables.values()))
    left_out += [f"{t.noun}: no tool works on it." for t in tables.values() if t not in kept]
    left_out += [f"Rule not built: {tidy(rule)}" for rule in proposal.rules]
    return Blueprint(
        environment_id=proposal.environment_id,
        class_name=class_name,
        state_class=state_class,
        service=proposal.service,
        tables=tuple(kept),
        tools=tuple(tools),
        left_out=tuple(left_out),
    )


def _chosen_tools(
    proposal: EnvironmentProposal, tables: dict[str, Table], most_tools: int | None
) -> tuple[list[ToolPlan], list[str]]:
    """Return the tools to build, and sentences on the others."""
    tools, left_out = _tools(proposal, tables)
    tools, surplus = balanced(tools)
    left_out += [f"{tool.proposed_name}: a third of the tools have to write." for tool in surplus]
    if most_tools is not None:
        fitting, _ = balanced(by_worth(tools)[:most_tools])
        cut = [tool for tool in tools if tool not in fitting]
        left_out += [f"{tool.proposed_name}: the file would grow too long." for tool in cut]
        tools = [tool for tool in tools if tool in fitting]
    return tools, left_out


def _tables(proposal: EnvironmentProposal, classes: Names) -> dict[str, Table]:
    """Return the tables by the proposed names of their entities, in order of drawing."""
    entities = proposal.entities
    named = Names()
    slugs = {entity.name: named.claim(snake(entity.name, 24), "_entry") for entity in entities}
    ordered, deferred = in_draw_order(entities)
    in_state, prefixes, constants = table_names(), Names(), Names()
    found: dict[str, Table] = {}
    for entity in ordered:
        slug = slugs[entity.name]
        class_name = classes.claim(pascal(slug), "Entry")
        fields = settled_fields(entity, proposal.tools)
        columns = _columns(entity, fields, slugs, deferred, classes, constants)
        found[entity.name] = Table(
            entity=slug,
            description=entity.description,
            columns=tuple(columns),
            name=in_state.claim(plural(slug), "_table"),
            prefix=prefixes.claim(id_prefix(slug), "X"),
            class_name=class_name,
            details_class=classes.claim(f"{class_name}Details", "Result"),
            list_class=classes.claim(f"{class_name}List", "Result"),
            id_type=classes.claim(f"{class_name}Id", "Key"),
        )
    return found


def _columns(
    entity: ProposedEntity,
    fields: Iterable[ProposedField],
    slugs: dict[str, str],
    deferred: frozenset[tuple[str, str]],
    classes: Names,
    constants: Names,
) -> list[Column]:
    slug = slugs[entity.name]
    names = Names({f"{slug}_id", slug})
    label = _label_name(entity)
    columns: list[Column] = []
    for proposed in fields:
        if snake(proposed.name) == f"{slug}_id":
            continue
        target = slugs.get(proposed.references or "")
        is_label = proposed.name == label
        is_deferred = (entity.name, proposed.name) in deferred
        constant = constants.claim(f"_{plural(f'{slug}_{snake(proposed.name)}').upper()}", "_")
        is_choice = proposed.type == "choice" and target is None
        name = names.claim(field_name(proposed.name, slug), "_value")
        columns.append(
            Column(
                name=name,
                proposed=proposed,
                description=_described(proposed.description, name, slug),
                target=target,
                is_nullable=(proposed.is_optional or is_deferred) and proposed.type != "list",
                is_label=is_label,
                is_unique=is_label and proposed.name in _UNIQUE and proposed.type == "text",
                is_deferred=is_deferred,
                choices_type=classes.claim(pascal(f"{slug}_{name}"), "Choice") if is_choice else "",
                constant=constant,
            )
        )
    return columns


def _label_name(entity: ProposedEntity) -> str | None:
    names = {field.name: field for field in entity.fields if not field.references}
    if entity.label in names and names[entity.label].type != "list":
        return entity.label
    return next((name for name in _LABELS if name in names and names[name].type == "text"), None)


def _described(description: str, name: str, entity: str) -> str:
    """Return a description that says more than the name, as the interface gate wants it."""
    text = tidy(description).rstrip(".")
    if not text or text.lower() == words(name):
        return f"{words(name).capitalize()} of the {words(entity)}"
    return text[:1].upper() + text[1:]


def _tools(
    proposal: EnvironmentProposal, tables: dict[str, Table]
) -> tuple[list[ToolPlan], list[str]]:
    names = method_names()
    tools: list[ToolPlan] = []
    left_out: list[str] = []
    for proposed in proposal.tools:
        try:
            planned, dropped = plan_tool(proposed, tables)
        except UnsupportedToolError as error:
            left_out.append(f"{proposed.name}: {error}")
            continue
        room = _WIRE_NAME_LENGTH - len(f"{proposal.environment_id.split('.')[-1]}__")
        claimed = names.claim(snake(proposed.name, room), f"_{planned.table.entity}")
        tools.append(replace(planned, name=claimed))
        left_out += [f"{proposed.name}: input {sentence}" for sentence in dropped]
        if claimed != proposed.name:
            left_out.append(f"{proposed.name}: it is called {claimed!r} here.")
    return _without_tool_names(tools, proposal.tools), left_out


def _without_tool_names(tools: list[ToolPlan], proposed: Sequence[ProposedTool]) -> list[ToolPlan]:
    """Return tools whose descriptions name no tool, as the interface gate wants it."""
    names = sorted({tool.name for tool in proposed} | {tool.name for tool in tools}, key=len)
    described: list[ToolPlan] = []
    for tool in tools:
        text = tool.description
        for name in reversed([name for name in names if "_" in name]):
            text = text.replace(name, words(name))
        described.append(replace(tool, description=text))
    return described


def _needed(tools: Sequence[ToolPlan], tables: Sequence[Table]) -> list[Table]:
    """Return the tables that tools work on, and those that these refer to."""
    wanted = {tool.table.entity for tool in tools}
    while True:
        more = {
            column.target
            for table in tables
            if table.entity in wanted
            for column in table.columns
            if column.target is not None
        }
        if more <= wanted:
            return [table for table in tables if table.entity in wanted]
        wanted |= more
