"""Rows of `environment_proposals`: services that the pool lacks, before any code is written."""

from typing import Literal

from pydantic import Field

from envfactory_assets.records.record import JsonObject, Part, Record

FieldType = Literal["text", "integer", "number", "boolean", "day", "moment", "choice", "list"]
Operation = Literal["create", "read", "update", "delete", "list", "search", "other"]
ProposalStatus = Literal["proposed", "approved", "edited", "vetoed", "duplicate"]


class ProposedField(Part):
    """One field of an entity.

    Attributes:
        name: In snake case.
        type: What its values are; days and moments are ISO text, a list holds texts.
        description: A noun phrase, "Name of the hotel".
        choices: The allowed values of a choice.
        references: The entity whose id it holds; None when it is no reference.
        is_optional: Whether an entity may lack it.
        minimum: Smallest number, or shortest text or list.
        maximum: Largest number, or longest text or list.
        examples: Values a person could say; texts for every type.
    """

    name: str
    type: FieldType
    description: str
    choices: tuple[str, ...] = ()
    references: str | None = None
    is_optional: bool = False
    minimum: float | None = None
    maximum: float | None = None
    examples: tuple[str, ...] = ()


class ProposedEntity(Part):
    """One kind of thing the service keeps; its id is not among the fields.

    Attributes:
        name: In snake case, singular.
        description: What it is.
        fields: What is kept of each.
        label: The field by which people tell them apart; None when there is none.
    """

    name: str
    description: str
    fields: tuple[ProposedField, ...] = Field(min_length=1)
    label: str | None = None


class ProposedTool(Part):
    """One tool of the service.

    Attributes:
        name: In snake case.
        description: One sentence.
        operation: What it does to its entity; `other` for anything beyond.
        entity: The entity it works on; None where it is of none.
        effect: Whether it changes the state.
        input_schema: JSON schema of the arguments, an object without references.
        output_schema: JSON schema of the result; empty when the source does not say.
    """

    name: str
    description: str
    operation: Operation
    entity: str | None
    effect: Literal["read", "write"]
    input_schema: JsonObject
    output_schema: JsonObject = Field(default_factory=dict)


class ProposalSource(Part):
    """Where something about the service was read.

    Attributes:
        title: What it is.
        address: A web address, or the name of an imported document.
    """

    title: str
    address: str


class EnvironmentProposal(Record):
    """A service that the pool lacks, and what becomes of the proposal.

    Attributes:
        environment_id: `<domain>.<name>` that the environment will have.
        domain: The partition.
        name: The short name, in snake case.
        service: What the service is, one sentence for a model.
        rationale: What it adds to the pool.
        entities: What it keeps.
        tools: What it offers.
        rules: Business rules, one sentence each.
        sources: What was read.
        origin: `generated` when a researcher proposed it, `imported` when a document did.
        not_inferred: What a document left open and nobody filled in, one sentence each.
        status: `proposed`; `approved`, `edited` or `vetoed` by a person; `duplicate` of the pool.
            Code is written for the first three, or only for what a person approved or edited.
        status_reason: Why it is vetoed or a duplicate; empty otherwise.
        overlap: Share of its tools that the nearest environment has already, in [0, 1].
        nearest: The environment of the pool it overlaps most with; None when there is none.
        made_by: Who proposed it.
    """

    environment_id: str
    domain: str
    name: str
    service: str
    rationale: str
    entities: tuple[ProposedEntity, ...]
    tools: tuple[ProposedTool, ...]
    rules: tuple[str, ...]
    sources: tuple[ProposalSource, ...]
    origin: Literal["generated", "imported"]
    not_inferred: tuple[str, ...] = ()
    status: ProposalStatus = "proposed"
    status_reason: str = ""
    overlap: float = 0.0
    nearest: str | None = None
    made_by: str

    @property
    def is_wanted(self) -> bool:
        """Whether code is to be written for it."""
        return self.status in ("proposed", "approved", "edited")

    @property
    def is_approved(self) -> bool:
        """Whether a person said that code shall be written for it."""
        return self.status in ("approved", "edited")
