"""What environments declare about their identifiers: what the matcher is scored against.

Nothing that decides on an edge may import this module, and a test strips the declarations and
compares the edges.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sandboxes.core.catalog import Catalog
from sandboxes.core.parameters import Parameter
from sandboxes.core.tool import Tool

FeedKey = tuple[str, str, str, str]
"""Source tool and leaf, target tool and leaf."""


@dataclass(frozen=True, slots=True)
class DeclaredFeeds:
    """The feeds that declared identifier types imply.

    Attributes:
        real: Pairs of one identifier type whose output gives the caller something new.
        void: Pairs of one identifier type within one tool, or whose output repeats what its own
            call was given: neither right nor wrong, so scores leave them out.
    """

    real: frozenset[FeedKey]
    void: frozenset[FeedKey]

    @property
    def all_pairs(self) -> frozenset[FeedKey]:
        """Every pair whose identifier types agree."""
        return self.real | self.void


def declared_feeds(catalog: Catalog, environment_ids: Iterable[str]) -> DeclaredFeeds:
    """Return the feeds between tools of some environments that their identifier types imply."""
    chosen = sorted(environment_ids)
    tools = [tool for chosen_id in chosen for tool in catalog.load(chosen_id).tools.values()]
    takers: dict[str, list[tuple[Tool, Parameter]]] = {}
    for tool in tools:
        for leaf in tool.inputs:
            if leaf.identifier:
                takers.setdefault(leaf.identifier, []).append((tool, leaf))
    real: set[FeedKey] = set()
    void: set[FeedKey] = set()
    for tool in (tool for tool in tools if tool.actor == "agent"):
        for output in tool.outputs:
            for taker, leaf in takers.get(output.identifier or "", ()):
                key = (tool.wire_name, output.path, taker.wire_name, leaf.path)
                is_void = taker is tool or _repeats_own_input(output, tool)
                (void if is_void else real).add(key)
    return DeclaredFeeds(frozenset(real), frozenset(void))


def declared_sources(
    catalog: Catalog, environment_ids: Iterable[str]
) -> dict[tuple[str, str], str]:
    """Return, for every input, whether its declared type makes it `external` or `internal`."""
    return {
        (tool.wire_name, leaf.path): (
            "internal" if leaf.identifier and not leaf.speakable else "external"
        )
        for environment_id in environment_ids
        for tool in catalog.load(environment_id).tools.values()
        for leaf in tool.inputs
    }


def _repeats_own_input(output: Parameter, tool: Tool) -> bool:
    return not output.is_list and any(
        leaf.required and not leaf.is_list and leaf.name == output.name
        for leaf in tool.inputs
        if leaf.identifier == output.identifier
    )
