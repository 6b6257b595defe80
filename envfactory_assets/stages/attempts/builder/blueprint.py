"""What is to be built, worked out: tables, columns, tools and their inputs, by their final names."""

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from envfactory_assets.records.proposals import ProposedField
from envfactory_assets.stages.attempts.builder.names import (
    plural,
    variable_name,
    words,
)

ToolKind = Literal["create", "read", "update", "delete", "list"]
InputRole = Literal["own_id", "value", "equal", "least", "most", "query", "limit", "offset"]


@dataclass(frozen=True, slots=True)
class Column:
    """One field of an entity.

    Attributes:
        name: Its name in the code.
        proposed: What was proposed.
        description: A noun phrase that says more than the name.
        target: The entity whose id it holds; None when it is no reference.
        is_nullable: Whether entities may lack it.
        is_label: Whether people tell entities apart by it.
        is_unique: Whether no two entities share it.
        is_deferred: Whether scenarios set it only after all tables are drawn.
        choices_type: Name of the type of its choices; empty when it has none.
        constant: Name of the constant with what scenarios draw of it.
    """

    name: str
    proposed: ProposedField
    description: str
    target: str | None
    is_nullable: bool
    is_label: bool
    is_unique: bool
    is_deferred: bool
    choices_type: str = ""
    constant: str = ""

    @property
    def type(self) -> str:
        """What its values are."""
        return self.proposed.type

    @property
    def is_list(self) -> bool:
        """Whether it holds several values."""
        return self.proposed.type == "list"

    @property
    def is_text(self) -> bool:
        """Whether it holds words that a search can look at."""
        return self.proposed.type == "text" and self.target is None


@dataclass(frozen=True, slots=True)
class Table:
    """One entity.

    Attributes:
        entity: Its name in the code, in snake case.
        description: What it is.
        columns: Its fields.
        name: The state's table that holds them.
        prefix: What its ids begin with.
        class_name: The class of its entities.
        details_class: The result that shows one.
        list_class: The result that lists them.
        id_type: The type of its ids.
    """

    entity: str
    description: str
    columns: tuple[Column, ...]
    name: str
    prefix: str
    class_name: str
    details_class: str
    list_class: str
    id_type: str

    @property
    def id_name(self) -> str:
        """What its id is called in arguments and results."""
        return f"{self.entity}_id"

    @property
    def noun(self) -> str:
        """What one is called in sentences."""
        return words(self.entity)

    @property
    def variable(self) -> str:
        """What one is called inside a function."""
        return variable_name(self.entity)

    @property
    def nouns(self) -> str:
        """What several are called in sentences."""
        return words(plural(self.entity))

    @property
    def label(self) -> Column | None:
        """The field by which people tell them apart."""
        return next((column for column in self.columns if column.is_label), None)

    @property
    def order(self) -> Column | None:
        """The field by which lists are sorted; None where they keep the order of adding."""
        label = self.label
        can_order = label is not None and not label.is_nullable and label.type not in _UNORDERED
        return label if can_order else None

    def column(self, name: str) -> Column | None:
        """Return a field by the name it was proposed with."""
        return next((c for c in self.columns if name in (c.proposed.name, c.name)), None)


_UNORDERED = ("list", "boolean", "choice")


@dataclass(frozen=True, slots=True)
class Input:
    """One argument of a tool.

    Attributes:
        name: Its name in the code.
        role: What it does.
        column: The field it is about; None for the entity's own id, a query, limit or offset.
        is_required: Whether every call gives it.
        default: What holds where it is not given.
        minimum: Smallest number, or shortest text.
        maximum: Largest number, or longest text.
    """

    name: str
    role: InputRole
    column: Column | None
    is_required: bool
    default: JsonValue = None
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """One tool.

    Attributes:
        name: Its name.
        kind: What it does.
        table: What it works on.
        inputs: Its arguments, required ones first.
        description: One sentence.
        proposed_name: The name it was proposed with.
    """

    name: str
    kind: ToolKind
    table: Table
    inputs: tuple[Input, ...]
    description: str
    proposed_name: str

    @property
    def effect(self) -> str:
        """Whether it changes the state."""
        return "read" if self.kind in ("read", "list") else "write"

    def by_role(self, *roles: InputRole) -> list[Input]:
        """Return the arguments that do some of these things."""
        return [given for given in self.inputs if given.role in roles]


@dataclass(frozen=True, slots=True)
class Blueprint:
    """One environment.

    Attributes:
        environment_id: Its id.
        class_name: Its class.
        state_class: The class of its state.
        service: What it is, one sentence.
        tables: What it keeps; what a table refers to stands before it where that is possible.
        tools: What it offers.
        left_out: What was proposed and is not built, one sentence each.
    """

    environment_id: str
    class_name: str
    state_class: str
    service: str
    tables: tuple[Table, ...]
    tools: tuple[ToolPlan, ...]
    left_out: tuple[str, ...]

    def table(self, entity: str) -> Table:
        """Return a table by its entity's name in the code."""
        return next(table for table in self.tables if table.entity == entity)

    def referring(self, table: Table) -> list[tuple[Table, Column]]:
        """Return the columns that hold ids of a table."""
        return [
            (other, column)
            for other in self.tables
            for column in other.columns
            if column.target == table.entity
        ]

    def tools_of(self, table: Table, kind: ToolKind) -> list[ToolPlan]:
        """Return the tools that do one thing to one table."""
        return [tool for tool in self.tools if tool.table is table and tool.kind == kind]
