"""A proposal as a model hands it in; field descriptions are sent along."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from envfactory_assets.records.proposals import (
    EnvironmentProposal,
    FieldType,
    Operation,
    ProposalSource,
    ProposedEntity,
    ProposedField,
    ProposedTool,
)
from envfactory_assets.records.record import JsonObject


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DraftField(_Part):
    """One field of an entity."""

    name: str = Field(description="Snake case. A reference ends with the entity and _id.")
    type: FieldType = Field(description="day and moment are ISO texts, a list holds texts.")
    description: str = Field(description="A noun phrase: Name of the seller.")
    choices: list[str] = Field(default=[], description="Allowed values of a choice.")
    references: str | None = Field(default=None, description="Entity whose id it holds, if any.")
    is_optional: bool = False
    minimum: float | None = Field(default=None, description="Least number, or shortest text.")
    maximum: float | None = Field(default=None, description="Greatest number, or longest text.")
    examples: list[str] = Field(default=[], description="Realistic values, as texts.")


class DraftEntity(_Part):
    """One kind of thing the service keeps; its own id is not among the fields."""

    name: str = Field(description="Snake case, singular.")
    description: str = Field(description="What it is, one sentence.")
    fields: list[DraftField]
    label: str | None = Field(default=None, description="Field by which people tell them apart.")


class DraftTool(_Part):
    """One tool of the service."""

    name: str = Field(description="Snake case, a verb first: place_bid.")
    description: str = Field(description="One sentence for the model that calls it.")
    operation: Operation = Field(description="What it does to its entity; other if none fits.")
    entity: str | None = Field(default=None, description="The entity it works on.")
    effect: Literal["read", "write"] = Field(description="Whether it changes the state.")
    input_schema: JsonObject = Field(description="JSON schema of the arguments: an object.")
    output_schema: JsonObject = Field(description="JSON schema of the result: an object.")


class DraftSource(_Part):
    """A page that was really found or read."""

    title: str
    address: str = Field(description="As a search or a page gave it.")


class ProposalDraft(_Part):
    """One service that the pool lacks."""

    name: str = Field(description="Short name in snake case, say auction_house.")
    service: str = Field(description="What the service is, one sentence.")
    rationale: str = Field(description="What it adds to the pool, by what is lacking there.")
    entities: list[DraftEntity]
    tools: list[DraftTool]
    rules: list[str] = Field(description="Business rules, one checkable sentence each.")
    sources: list[DraftSource] = Field(default=[], description="What the proposal rests on.")


def proposal_of(
    draft: ProposalDraft, domain: str, made_by: str, sources: tuple[ProposalSource, ...]
) -> EnvironmentProposal:
    """Return a draft as a row.

    Args:
        draft: What was handed in, checked.
        domain: The domain.
        made_by: Who proposed it.
        sources: Those of its sources that were really seen.
    """
    open_points = () if sources else ("It rests on no source that was really read.",)
    return EnvironmentProposal(
        environment_id=f"{domain}.{draft.name}",
        domain=domain,
        name=draft.name,
        service=draft.service.strip(),
        rationale=draft.rationale.strip(),
        entities=tuple(_entity(entity) for entity in draft.entities),
        tools=tuple(ProposedTool(**tool.model_dump()) for tool in draft.tools),
        rules=tuple(rule.strip() for rule in draft.rules),
        sources=sources,
        origin="generated",
        not_inferred=open_points,
        made_by=made_by,
    )


def _entity(entity: DraftEntity) -> ProposedEntity:
    fields = tuple(
        ProposedField(
            **field.model_dump(exclude={"choices", "examples"}),
            choices=tuple(field.choices),
            examples=tuple(field.examples),
        )
        for field in entity.fields
    )
    return ProposedEntity(
        name=entity.name, description=entity.description, fields=fields, label=entity.label
    )
