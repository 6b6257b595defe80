"""Whether what a call wrote can be read: other results of reading tools before and after it."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from envfactory_assets.stages.attempts.probing import Probe
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.json_paths import leaves_at
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.core.session import Session
from sandboxes.core.tool import Tool
from sandboxes.verification.attempts import with_leaf

_READS_PER_TOOL = 5
_AIMED_PER_TOOL = 8


def is_visible(session: Session, write: Probe, made: Sequence[Probe]) -> bool:
    """Return whether some reading tool tells a state before a call from the one after it.

    Args:
        session: A session on the scenario of the call; it stays as it is.
        write: A call that changes the state.
        made: Other calls on that scenario, whose arguments are used again.
    """
    if not any(tool.effect == "read" for tool in session.tools):
        return True
    before, after = session.fork(), session.fork()
    try:
        after.call(write.tool.wire_name, write.arguments)
        return any(
            _answer(before, tool, arguments) != _answer(after, tool, arguments)
            for tool, arguments in _reads(session, write, made)
        )
    finally:
        before.close()
        after.close()


def _answer(session: Session, tool: Tool, arguments: JsonObject) -> JsonObject | str | None:
    try:
        record = session.call(tool.wire_name, arguments)
    except EnvironmentFaultError as error:
        return str(error)
    return record.result if record.ok else None


def _reads(
    session: Session, write: Probe, made: Sequence[Probe]
) -> Iterator[tuple[Tool, JsonObject]]:
    for tool in session.tools:
        if tool.effect == "write":
            continue
        earlier = [probe for probe in made if probe.tool.name == tool.name]
        earlier.sort(key=lambda probe: not probe.is_ok)
        yield from ((tool, probe.arguments) for probe in earlier[:_READS_PER_TOOL])
        if earlier:
            yield from ((tool, aimed) for aimed in _aimed(tool, earlier[0].arguments, write))


def _aimed(tool: Tool, arguments: JsonObject, write: Probe) -> Iterator[JsonObject]:
    """Yield arguments of a reading tool that name what the call named, or made."""
    count = 0
    for parameter in tool.inputs:
        for value in _values_for(parameter, write):
            if count < _AIMED_PER_TOOL:
                count += 1
                yield with_leaf(arguments, parameter.path, value)


def _values_for(parameter: Parameter, write: Probe) -> Iterator[JsonValue]:
    sides = ((write.tool.inputs, write.arguments), (write.tool.outputs, write.result))
    for declared, values in sides:
        for other in declared:
            is_same_id = parameter.identifier is not None and (
                other.identifier == parameter.identifier
            )
            is_same_name = parameter.identifier is None and other.name == parameter.name
            if is_same_id or is_same_name:
                yield from (value for _, value in leaves_at(values, other.path))
