"""Whether what a call wrote shows: other outcomes of other tools before and after it."""

import re
from collections.abc import Iterator, Sequence
from typing import cast

from envfactory_assets.stages.attempts.probing import Probe
from sandboxes.core.canonical import canonical_json
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.json_paths import leaves_at
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.core.session import Session
from sandboxes.core.tool import Tool
from sandboxes.verification.attempts import with_leaf

_CALLS_PER_TOOL = 5
_AIMED_PER_TOOL = 24
_MADE_ID = re.compile(r'"[A-Za-z]+-\d+"')


def is_visible(session: Session, write: Probe, made: Sequence[Probe]) -> bool:
    """Return whether some other tool tells a state before a call from the one after it.

    Reading tools do so by what they return, writing ones also by refusing.

    Args:
        session: A session on the scenario of the call; it stays as it is.
        write: A call that changes the state.
        made: Other calls on that scenario, whose arguments are used again.
    """
    before, after = session.fork(), session.fork()
    try:
        after.call(write.tool.wire_name, write.arguments, write.tool.actor)
        return any(
            _answer(before, tool, arguments) != _answer(after, tool, arguments)
            for tool, arguments in _others(session, write, made)
        )
    finally:
        before.close()
        after.close()


def _answer(session: Session, tool: Tool, arguments: JsonObject) -> str:
    if tool.effect == "read":
        return _outcome(session, tool, arguments)
    fork = session.fork()
    try:
        # Ids count on after every call, which shows nothing of what the call wrote.
        return _MADE_ID.sub('"id"', _outcome(fork, tool, arguments))
    finally:
        fork.close()


def _outcome(session: Session, tool: Tool, arguments: JsonObject) -> str:
    try:
        record = session.call(tool.wire_name, arguments, tool.actor)
    except EnvironmentFaultError as error:
        return str(error)
    return canonical_json(record.result) if record.ok else "refused"


def _others(
    session: Session, write: Probe, made: Sequence[Probe]
) -> Iterator[tuple[Tool, JsonObject]]:
    for tool in sorted(session.tools, key=lambda tool: tool.effect):
        if tool.name == write.tool.name:
            continue
        earlier = [probe for probe in made if probe.tool.name == tool.name]
        earlier.sort(key=lambda probe: not probe.is_ok)
        yield from ((tool, probe.arguments) for probe in earlier[:_CALLS_PER_TOOL])
        if earlier:
            yield from ((tool, aimed) for aimed in _aimed(tool, earlier[0].arguments, write))


def _aimed(tool: Tool, arguments: JsonObject, write: Probe) -> Iterator[JsonObject]:
    """Yield arguments of another tool that name what the call named, or made."""
    needed = cast("list[str]", tool.input_schema.get("required", []))
    least = {key: value for key, value in arguments.items() if key in needed}
    pairs = [
        (parameter.path, value)
        for parameter in tool.inputs
        for value in dict.fromkeys(_values_for(parameter, write))
    ]
    yield least
    yield from (with_leaf(least, path, value) for path, value in pairs[:_AIMED_PER_TOOL])


def _values_for(parameter: Parameter, write: Probe) -> list[str | int | float]:
    sides = ((write.tool.inputs, write.arguments), (write.tool.outputs, write.result))
    found = [
        value
        for declared, values in sides
        for other in declared
        if _is_alike(parameter, other)
        for _, value in leaves_at(values, other.path)
    ]
    return [value for value in found if isinstance(value, (str, int, float))]


def _is_alike(parameter: Parameter, other: Parameter) -> bool:
    """Return whether a value of one leaf is worth giving for another: a text, to search by."""
    if parameter.identifier is not None:
        return other.identifier == parameter.identifier
    return other.name == parameter.name or (_is_text(parameter) and _is_text(other))


def _is_text(parameter: Parameter) -> bool:
    return parameter.type == "string" and not parameter.enum
