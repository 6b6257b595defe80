"""Which tools of a large document a proposal takes."""

from collections.abc import Sequence

from envfactory_assets.stages.proposals.entity_drafting import ENTITY_SLOTS
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.source_tools import SourceTool


def chosen_tools(
    tools: Sequence[SourceTool],
    entities: Sequence[str],
    max_tools: int,
    open_points: OpenPoints,
) -> tuple[SourceTool, ...]:
    """Return at most so many tools, the most useful first.

    One tool for each operation on each entity comes first, an entity as a whole before the next;
    then further tools on entities; then tools of no known kind.
    """
    order: list[SourceTool] = []
    for entity in entities:
        own = [tool for tool in tools if tool.entity == entity]
        for slot in ENTITY_SLOTS:
            fitting = [tool for tool in own if tool.operation == slot]
            if fitting:
                order.append(min(fitting, key=_burden))
    order += [tool for tool in tools if tool.entity in entities and tool.operation != "other"]
    order += [tool for tool in tools if tool.entity in entities]
    order += [tool for tool in tools if tool.entity is None]
    chosen = list(dict.fromkeys(tool.name for tool in order))[:max_tools]
    left = [tool for tool in tools if tool.name not in chosen]
    for tool in left:
        open_points.add(f"{len(left)} of {len(tools)} tools are left out", tool.source)
    by_name = {tool.name: tool for tool in tools}
    return tuple(by_name[name] for name in chosen)


def _burden(tool: SourceTool) -> tuple[int, int]:
    return sum(argument.is_required for argument in tool.arguments), len(tool.source)
