"""Tools and their leaves as the matcher, the labeller and the reviewer may see them.

Declared identifier types and label marks are left behind here, so no decision can rest on them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from envfactory_assets.records.tool_graphs import Direction
from sandboxes.core.catalog import Catalog
from sandboxes.core.parameters import Parameter
from sandboxes.core.tool import Effect, Tool

LeafKey = tuple[str, str]
"""Wire name of the tool and path of the leaf."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One input or output leaf, from schema text alone."""

    tool: str
    environment_id: str
    direction: Direction
    path: str
    name: str
    type: str
    description: str
    required: bool
    enum: tuple[str, ...]

    @property
    def key(self) -> LeafKey:
        """What tells it from the other leaves of its direction."""
        return self.tool, self.path

    @property
    def domain(self) -> str:
        """The domain of its environment."""
        return domain_of(self.environment_id)

    @property
    def is_list(self) -> bool:
        """Whether it stands inside a list or mapping, so that one of many values is chosen."""
        return "[]" in self.path or "{}" in self.path


@dataclass(frozen=True, slots=True)
class GraphTool:
    """One tool with its leaves."""

    environment_id: str
    tool: str
    name: str
    effect: Effect
    description: str
    inputs: tuple[Leaf, ...]
    outputs: tuple[Leaf, ...]

    @property
    def domain(self) -> str:
        """The domain of its environment."""
        return domain_of(self.environment_id)


def domain_of(environment_id: str) -> str:
    """Return the domain that an environment id starts with."""
    return environment_id.split(".")[0]


def graph_tool(environment_id: str, tool: Tool) -> GraphTool:
    """Return what the graph may know of a tool.

    What only the user can do shows its result to the user: it feeds nothing.
    """

    def leaf(parameter: Parameter, direction: Direction) -> Leaf:
        return Leaf(
            tool=tool.wire_name,
            environment_id=environment_id,
            direction=direction,
            path=parameter.path,
            name=parameter.name,
            type=parameter.type,
            description=parameter.description,
            required=parameter.required,
            enum=parameter.enum,
        )

    return GraphTool(
        environment_id=environment_id,
        tool=tool.wire_name,
        name=tool.name,
        effect=tool.effect,
        description=tool.description,
        inputs=tuple(leaf(parameter, "input") for parameter in tool.inputs),
        outputs=tuple(
            leaf(parameter, "output") for parameter in tool.outputs if tool.actor == "agent"
        ),
    )


def graph_tools(catalog: Catalog, environment_ids: Iterable[str]) -> list[GraphTool]:
    """Return the tools of some environments, in order of wire name.

    Raises:
        UnknownEnvironmentError: If the catalog lacks one of the environments.
    """
    found = [
        graph_tool(environment_id, tool)
        for environment_id in environment_ids
        for tool in catalog.load(environment_id).tools.values()
    ]
    return sorted(found, key=lambda tool: tool.tool)
