"""A tool as its document has it, before names and inputs follow our conventions."""

from dataclasses import dataclass
from typing import Literal

from envfactory_assets.records.proposals import Operation
from envfactory_assets.records.record import JsonObject

Place = Literal["path", "query", "body", "input"]


@dataclass(frozen=True, slots=True)
class Argument:
    """One input.

    Attributes:
        name: As the document calls it.
        schema: Without references.
        is_required: Whether a call must give it.
        place: Where the document puts it; `input` where there is but one place.
        refers: The entity whose id it holds, where its place says so.
    """

    name: str
    schema: JsonObject
    is_required: bool
    place: Place
    refers: str | None = None


@dataclass(frozen=True, slots=True)
class SourceTool:
    """One tool.

    Attributes:
        source: How the document calls it, for people: `GET /pets/{petId}`.
        name: In snake case, unique within the document.
        description: One sentence.
        operation: What it does to its entity.
        entity: The entity it works on; None where it is of none.
        effect: Whether it changes the state.
        arguments: Its inputs.
        result: Schema of its result, without references; empty where the document is silent.
        key: Name of the argument that addresses one entity; None where nothing does.
        lost: What of it could not be read: topics of open points, and their places.
    """

    source: str
    name: str
    description: str
    operation: Operation
    entity: str | None
    effect: Literal["read", "write"]
    arguments: tuple[Argument, ...]
    result: JsonObject
    key: str | None = None
    lost: tuple[tuple[str, str], ...] = ()
