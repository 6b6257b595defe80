"""Which tools to keep where not all of them can be."""

from collections.abc import Sequence

from envfactory_assets.stages.attempts.builder.blueprint import ToolPlan
from sandboxes.verification.interface import LEAST_WRITE_SHARE


def by_worth(tools: Sequence[ToolPlan]) -> list[ToolPlan]:
    """Return tools in order of what they are worth to an environment.

    First come the tools of the entity that most can be done with, one of each kind, then those of
    the next; second tools of a kind come last. So what is kept hangs together.
    """

    def rank(tool: ToolPlan) -> tuple[bool, int, int]:
        own = [other for other in tools if other.table is tool.table]
        first = min(tools.index(other) for other in own)
        return _is_repeated(tool, tools), -len({other.kind for other in own}), first

    return sorted(tools, key=rank)


def balanced(tools: Sequence[ToolPlan]) -> tuple[list[ToolPlan], list[ToolPlan]]:
    """Return tools of which enough write, and the reading ones that are too many."""
    writing = sum(tool.effect == "write" for tool in tools)
    allowed = int(writing / LEAST_WRITE_SHARE + 1e-9) - writing
    kept: list[ToolPlan] = []
    surplus: list[ToolPlan] = []
    preferred = [tool for tool in by_worth(tools) if tool.effect == "read"][:allowed]
    for tool in tools:
        (kept if tool.effect == "write" or tool in preferred else surplus).append(tool)
    return (kept, surplus) if writing else ([], list(tools))


def _is_repeated(tool: ToolPlan, tools: Sequence[ToolPlan]) -> bool:
    same = [other for other in tools if (other.kind, other.table) == (tool.kind, tool.table)]
    return same[0] is not tool
