"""From the tools of a document to a proposal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from envfactory_assets.records.proposals import (
    EnvironmentProposal,
    ProposalSource,
    ProposedField,
    ProposedTool,
)
from envfactory_assets.stages.proposals.documents import Document
from envfactory_assets.stages.proposals.entity_drafting import (
    Draft,
    EntityChoice,
    choose_entities,
    draft_entity,
    proposed_entity,
)
from envfactory_assets.stages.proposals.entity_fields import FieldReader
from envfactory_assets.stages.proposals.identifiers import (
    plain_phrase,
    plain_sentence,
    snake_name,
    spoken,
)
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.input_writing import InputWriter
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.output_writing import output_schema
from envfactory_assets.stages.proposals.source_tools import SourceTool
from envfactory_assets.stages.proposals.tool_choice import chosen_tools

MADE_BY = "importer:rules"


@dataclass(frozen=True, slots=True)
class Service:
    """What a document says of the service as a whole.

    Attributes:
        document: The document.
        title: Name of the service.
        summary: What it is, one sentence.
    """

    document: Document
    title: str
    summary: str

    @classmethod
    def of(cls, document: Document, title: str, description: str) -> "Service":
        """Return what a document says, its own name where it says nothing."""
        name = plain_phrase(title, 80) or spoken(document.name).capitalize()
        return cls(document, name, plain_sentence(description) or f"{name}.")


def write_proposal(
    service: Service,
    tools: Sequence[SourceTool],
    settings: ImportSettings,
    open_points: OpenPoints,
) -> EnvironmentProposal:
    """Return the proposal that the tools of a document make."""
    document = service.document
    choice = choose_entities(tools, settings, open_points)
    entities = choice.kept
    kept = chosen_tools(_settled(tools, choice), entities, settings.max_tools, open_points)
    for tool in kept:
        for topic, place in tool.lost:
            open_points.add(topic, place)
    owners = {one.refers for tool in tools for one in tool.arguments if one.refers}
    reader = FieldReader(entities, open_points, owners)
    drafts = {name: draft_entity(name, tools, reader, settings, open_points) for name in entities}
    fields = {name: dict(draft.fields) for name, draft in drafts.items()}
    creatable = {tool.entity for tool in tools if tool.operation == "create" and tool.entity}
    writer = InputWriter(fields, _scopes(tools), creatable, reader, open_points)
    proposed = tuple(_proposed_tool(tool, writer, fields) for tool in kept)
    _note_silence(kept, open_points)
    return EnvironmentProposal(
        environment_id=f"{document.domain}.{document.name}",
        domain=document.domain,
        name=document.name,
        service=service.summary,
        rationale=f"Imported: a service that the team uses, {service.title}.",
        entities=tuple(
            proposed_entity(name, Draft(draft.description, fields[name]))
            for name, draft in drafts.items()
        ),
        tools=proposed,
        rules=(),
        sources=(ProposalSource(title=service.title, address=document.address),),
        origin="imported",
        not_inferred=open_points.sentences(),
        made_by=MADE_BY,
    )


def _settled(tools: Sequence[SourceTool], choice: EntityChoice) -> list[SourceTool]:
    """Tools on things that nobody can say what they hold work on no entity."""
    known = {None, *choice.kept, *choice.beyond}
    return [
        tool if tool.entity in known else replace(tool, entity=None, operation="other", key=None)
        for tool in tools
    ]


def _scopes(tools: Sequence[SourceTool]) -> dict[str, frozenset[str]]:
    """Return, by entity, the inputs beside the key that merely reading or deleting one asks for."""
    scopes: dict[str, set[str]] = {}
    for tool in tools:
        if tool.operation in ("read", "delete") and tool.entity:
            scopes.setdefault(tool.entity, set()).update(
                snake_name(argument.name)
                for argument in tool.arguments
                if argument.is_required and argument.name != tool.key
            )
    return {entity: frozenset(names) for entity, names in scopes.items()}


def _proposed_tool(
    tool: SourceTool, writer: InputWriter, fields: Mapping[str, Mapping[str, ProposedField]]
) -> ProposedTool:
    kept = fields.get(tool.entity or "", {})
    return ProposedTool(
        name=tool.name,
        description=tool.description,
        operation=tool.operation,
        entity=tool.entity,
        effect=tool.effect,
        input_schema=writer.write(tool),
        output_schema=output_schema(tool, kept),
    )


def _note_silence(tools: Sequence[SourceTool], open_points: OpenPoints) -> None:
    for tool in tools:
        if tool.operation == "other":
            open_points.add("What these do is told in prose only", tool.name)
        if not tool.result and tool.operation != "delete":
            open_points.add("The result of these is not described", tool.name)
    open_points.add("Business rules are not read from prose")
