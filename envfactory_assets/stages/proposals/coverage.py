"""What the pool has in a domain, and what it lacks: entities, verbs, and connections of tools.

Counted from names, schemas and descriptions alone, so that it needs no tool graph yet.
Not here: how it reads as a text or a table (`coverage_text`).
"""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.proposals import Operation
from envfactory_assets.stages.proposals.identifiers import entity_name, name_words
from envfactory_assets.stages.proposals.verbs import verb_operation
from envfactory_assets.stages.tool_graphs.feed_rules import is_echo
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf, graph_tools
from envfactory_assets.stages.tool_graphs.naming import (
    entities,
    is_id,
    shared_entity,
    spoken_kind,
)
from sandboxes.core.catalog import Catalog

OPERATIONS: tuple[Operation, ...] = get_args(Operation)
_PREPOSITIONS = frozenset({"at", "by", "for", "from", "in", "of", "on", "to", "with"})


class ToolCoverage(BaseModel):
    """One tool: what it does to what.

    Attributes:
        name: Without the environment.
        description: One sentence.
        effect: Whether it changes the state.
        operation: By its verb; `other` for anything beyond.
        entity: What it works on, as its name or else its ids say; empty when neither does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    description: str
    effect: Literal["read", "write"]
    operation: Operation
    entity: str


class EnvironmentCoverage(BaseModel):
    """One environment and its tools, in order of name."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    environment_id: str
    description: str
    tools: tuple[ToolCoverage, ...]

    @property
    def write_tool_count(self) -> int:
        """How many tools change the state."""
        return sum(tool.effect == "write" for tool in self.tools)

    @property
    def operations(self) -> dict[str, tuple[Operation, ...]]:
        """The operations on each entity, entities in alphabetical order."""
        found: dict[str, set[Operation]] = {}
        for tool in self.tools:
            if tool.entity:
                found.setdefault(tool.entity, set()).add(tool.operation)
        return {
            entity: tuple(operation for operation in OPERATIONS if operation in found[entity])
            for entity in sorted(found)
        }


class Coverage(BaseModel):
    """What a domain has, and where its tools do not connect.

    Attributes:
        domain: The domain.
        environments: Its environments, in order of id.
        unfed_inputs: Required ids that no other tool gives, as `tool: parameter`.
        unused_outputs: Ids that tools give and no tool takes, as `tool: parameter`.
        ungiven_names: Names of people, places and the like that tools take and none gives.
        elsewhere: Ids of the environments in other domains.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    domain: str
    environments: tuple[EnvironmentCoverage, ...]
    unfed_inputs: tuple[str, ...]
    unused_outputs: tuple[str, ...]
    ungiven_names: tuple[str, ...]
    elsewhere: tuple[str, ...]

    @property
    def entities(self) -> tuple[str, ...]:
        """Everything that tools of the domain work on, in alphabetical order."""
        found = {entity for item in self.environments for entity in item.operations}
        return tuple(sorted(found))

    @property
    def missing_operations(self) -> tuple[Operation, ...]:
        """What no tool of the domain does to anything."""
        found = {tool.operation for item in self.environments for tool in item.tools}
        return tuple(operation for operation in OPERATIONS if operation not in found)


def measure_coverage(catalog: Catalog, domain: str) -> Coverage:
    """Count what a domain has and lacks.

    Args:
        catalog: The pool; restrict it to the environments that count.
        domain: The domain.

    Raises:
        SandboxError: If an environment of the domain cannot be loaded.
    """
    ids = [source.environment_id for source in catalog.in_domain(domain)]
    tools = {environment_id: graph_tools(catalog, [environment_id]) for environment_id in ids}
    every = [tool for found in tools.values() for tool in found]
    return Coverage(
        domain=domain,
        environments=tuple(
            EnvironmentCoverage(
                environment_id=environment_id,
                description=_first_paragraph(catalog.load(environment_id).__doc__),
                tools=tuple(_tool(tool, found) for tool in found),
            )
            for environment_id, found in tools.items()
        ),
        unfed_inputs=tuple(_unfed(every)),
        unused_outputs=tuple(_unused(every)),
        ungiven_names=tuple(sorted(_named(every, "input") - _named(every, "output"))),
        elsewhere=tuple(
            source.environment_id for source in catalog.sources if source.domain != domain
        ),
    )


def _tool(tool: GraphTool, siblings: Sequence[GraphTool]) -> ToolCoverage:
    words = name_words(tool.name)
    return ToolCoverage(
        name=tool.name,
        description=tool.description,
        effect=tool.effect,
        operation=(verb_operation(words[0]) if words else None) or "other",
        entity=_entity(tool, siblings),
    )


def _entity(tool: GraphTool, siblings: Sequence[GraphTool]) -> str:
    """Return the entity of a tool: what its name ends with, else what its first id is of."""
    named = entity_name(_noun(name_words(tool.name)[1:]))
    known = {
        "_".join(entity)
        for sibling in siblings
        for leaf in (*sibling.inputs, *sibling.outputs)
        if is_id(leaf)
        for entity in entities(leaf)
    }
    ends = sorted((end for end in known if f"_{named}".endswith(f"_{end}")), key=len)
    if ends:
        return ends[-1]
    if named:
        return named
    own = (leaf for leaf in (*tool.inputs, *tool.outputs) if is_id(leaf) and entities(leaf))
    first = next(own, None)
    return min(("_".join(entity) for entity in entities(first)), key=len) if first else ""


def _noun(words: Sequence[str]) -> tuple[str, ...]:
    """Return the first words that no preposition interrupts: `to cart` is a cart."""
    groups = " ".join("," if word in _PREPOSITIONS else word for word in words).split(",")
    return tuple(next((group for group in groups if group.strip()), "").split())


def _unfed(tools: Sequence[GraphTool]) -> list[str]:
    """Return the required ids that no other tool of the same environment gives."""
    return [
        f"{tool.tool}: {leaf.path}"
        for tool in tools
        for leaf in tool.inputs
        if leaf.required and is_id(leaf)
        if not any(_feeds(other, leaf) for other in tools if other is not tool)
    ]


def _unused(tools: Sequence[GraphTool]) -> list[str]:
    """Return the first tool's output for each id that no tool takes, by environment."""
    taken = [leaf for tool in tools for leaf in tool.inputs if is_id(leaf)]
    found: dict[tuple[str, str], str] = {}
    for tool in tools:
        for leaf in tool.outputs:
            if is_id(leaf) and not any(_same_id(leaf, other) for other in taken):
                found.setdefault((leaf.environment_id, leaf.name), f"{tool.tool}: {leaf.path}")
    return sorted(found.values())


def _feeds(tool: GraphTool, target: Leaf) -> bool:
    return any(
        is_id(source) and _same_id(source, target) and not is_echo(source, tool)
        for source in tool.outputs
    )


def _same_id(first: Leaf, second: Leaf) -> bool:
    return first.environment_id == second.environment_id and bool(
        shared_entity(entities(first), entities(second))
    )


def _named(tools: Iterable[GraphTool], direction: Literal["input", "output"]) -> set[str]:
    leaves = (
        leaf for tool in tools for leaf in (tool.inputs if direction == "input" else tool.outputs)
    )
    return {kind for leaf in leaves if (kind := spoken_kind(leaf))}


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())
