"""Gate 5: every declared parameter can change an outcome."""

from collections.abc import Iterator

from pydantic import JsonValue

from sandboxes.core.json_paths import leaves_at
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.verification.attempts import Attempt, with_leaf
from sandboxes.verification.exploration import Exploration
from sandboxes.verification.report import Finding

_BASES_PER_PARAMETER = 40
_OTHER_TEXTS: tuple[JsonValue, ...] = ("another text", "something else")


def check_parameters(exploration: Exploration) -> list[Finding]:
    """Return the parameters that no pair of calls shows to matter.

    A pair is made on one state and differs in that parameter only. It shows that the parameter
    matters when one call is refused and the other not, or when results or states differ; the
    text of a refusal counts for nothing.
    """
    return [
        Finding(
            gate="parameters",
            tool=tool.wire_name,
            fault="implementation",
            call=shown.call if shown else None,
            expected=f"{parameter.path!r} to change the outcome of some call",
            got=f"the same outcome for every value tried in {count} pairs of calls",
            hint="Use the parameter, or remove it from the signature.",
        )
        for tool in exploration.tools
        for parameter in tool.inputs
        for count, shown in _search(exploration, tool, parameter)
    ]


def _search(
    exploration: Exploration, tool: MethodTool, parameter: Parameter
) -> Iterator[tuple[int, Attempt | None]]:
    """Yield one item, how many pairs were tried and the first call, if none shows a difference."""
    attempts = exploration.of_tool(tool)
    usable = [made for made in attempts if made.outcome in ("ok", "refused")]
    with_it = [made for made in usable if leaves_at(made.arguments, parameter.path)]
    without = [made for made in usable if not leaves_at(made.arguments, parameter.path)]
    half = _BASES_PER_PARAMETER // 2
    count = 0
    for base in [*_spread(with_it, half), *_spread(without, half)]:
        for arguments in _variants(exploration, base, parameter):
            count += 1
            other = exploration.attempt(base.position, tool, arguments)
            if other.outcome != "invalid" and _differ(base, other):
                return
    yield count, usable[0] if usable else None


def _spread(attempts: list[Attempt], count: int) -> list[Attempt]:
    return attempts[:: max(1, len(attempts) // count)]


def _variants(
    exploration: Exploration, base: Attempt, parameter: Parameter
) -> Iterator[JsonObject]:
    now = [value for _, value in leaves_at(base.arguments, parameter.path)][:1]
    values = exploration.values(base.position, base.tool).candidates(parameter)
    if parameter.type == "string" and not parameter.enum and parameter.identifier is None:
        values += _OTHER_TEXTS
    for value in values:
        if [value] != now:
            yield with_leaf(base.arguments, parameter.path, value)
    name = parameter.path.removesuffix("[]").removesuffix("{}")
    if name in base.arguments and not parameter.required:
        yield {key: value for key, value in base.arguments.items() if key != name}


def _differ(one: Attempt, other: Attempt) -> bool:
    if one.outcome != other.outcome:
        return True
    return one.is_ok and (one.result != other.result or one.after != other.after)
