"""Recorded cases: what an environment does today, written down as test cases.

Nobody has said that it is right; such a case notices a later change, and injected faults. A tester
who knows the proposal writes stronger ones.
"""

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from envfactory_assets.stages.attempts.coverage import takes_id
from envfactory_assets.stages.attempts.probing import Probe, Prober, call_and_compare
from envfactory_assets.stages.attempts.verifier import Verifier
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.parameters import JsonObject
from sandboxes.core.session import CallRecord, Session
from sandboxes.core.tool import Tool
from sandboxes.verification.attempts import with_leaf
from sandboxes.verification.cases import Case, CaseCall, Complexity

_SEEDS = (0, 1, 2)
_MOST_VALUES = 8
_NO_ID = "no-such-id"
_NO_ARGUMENT = "no_such_argument"
_PER_TOOL = 2
_REFERENCE = re.compile(r'"\$\d+\.')


def record_cases(source: EnvironmentSource, verifier: Verifier) -> tuple[Case, ...]:
    """Return cases of the four complexities that an environment passes as it is.

    Args:
        source: The environment.
        verifier: Where its code runs.
    """
    cases: list[Case] = []
    for seed in _SEEDS:
        session = verifier.open(source, seed)
        try:
            cases += _of_scenario(session, Prober(session, source.environment_id, seed), seed)
        finally:
            session.close()
    return tuple(_useful(cases))


def _of_scenario(session: Session, prober: Prober, seed: int) -> Iterator[Case]:
    probes = prober.probe()
    for tool in session.tools:
        made = [probe for probe in probes if probe.tool.name == tool.name]
        kind: Complexity = "simple" if tool.effect == "read" else "medium"
        for number, probe in enumerate([probe for probe in made if probe.is_ok][:_PER_TOOL], 1):
            what = f"{tool.name} does what it did, call {number}"
            yield _case(what, kind, seed, [_declared(probe.record)])
        refusal = _refusal(session, tool, made)
        if refusal is not None:
            yield _case(f"{tool.name} refuses what it refused", "boundary", seed, [refusal])
    chained = _chain(session, prober, seed)
    if len(chained) > 1:
        yield _case("Calls that follow each other do what they did", "complex", seed, chained)


def _case(name: str, complexity: Complexity, seed: int, calls: list[CaseCall]) -> Case:
    return Case(
        name=f"Recorded: {name}, on scenario {seed}",
        complexity=complexity,
        seed=seed,
        calls=tuple(calls),
    )


def _refusal(session: Session, tool: Tool, made: list[Probe]) -> CaseCall | None:
    """Return a call that is refused: of an unknown id where the tool takes one."""
    base: JsonObject = next((probe.arguments for probe in made if probe.is_ok), JsonObject())
    arguments: JsonObject = {**base, _NO_ARGUMENT: 1}
    if takes_id(tool):
        parameter = next(p for p in tool.inputs if p.identifier is not None and not p.speakable)
        arguments = with_leaf(base, parameter.path, _NO_ID)
    fork = session.fork()
    try:
        probe = call_and_compare(fork, 0, tool, arguments)
    finally:
        fork.close()
    if probe.record is None or probe.record.ok:
        return None
    return CaseCall(tool=tool.name, arguments=arguments, expect="refused")


def _chain(session: Session, prober: Prober, seed: int) -> list[CaseCall]:
    """Return one call of every tool, made one after the other: writing ones first."""
    fork = session.fork()
    calls: list[CaseCall] = []
    try:
        for tool in sorted(fork.tools, key=lambda tool: tool.effect == "read"):
            later = Prober(fork, prober.environment_id, seed, dict(prober.known))
            found = next((probe for probe in later.of_tool(tool) if probe.is_ok), None)
            if found is not None:
                record = fork.call(tool.wire_name, found.arguments, tool.actor)
                calls += [_declared(record)] if record.ok else []
    finally:
        fork.close()
    return calls


def _declared(record: CallRecord | None) -> CaseCall:
    if record is None:
        raise ValueError("A call that the environment failed at cannot be declared as a case.")
    return CaseCall(
        tool=record.tool.split("__")[1],
        arguments=dict(record.arguments),
        expect="ok",
        result=dict(_values(record.result or {})),
    )


def _values(result: Mapping[str, JsonValue]) -> list[tuple[str, JsonValue]]:
    """Return the values that a case declares: the first leaves, and how long lists are."""
    found = list(_leaves(result, ""))
    return found[:_MOST_VALUES]


def _leaves(value: Mapping[str, JsonValue], path: str) -> Iterator[tuple[str, JsonValue]]:
    for key, item in value.items():
        if not key.isidentifier():
            continue
        below = f"{path}.{key}" if path else key
        if isinstance(item, dict):
            yield from _leaves(item, below)
        elif isinstance(item, list):
            yield f"{below}.length", len(item)
            first = item[0] if item else None
            if isinstance(first, dict):
                yield from _leaves(first, f"{below}[0]")
        else:
            yield below, item


def _useful(cases: list[Case]) -> Iterator[Case]:
    """Leave out cases whose values would be read as references to earlier results."""
    for case in cases:
        if _REFERENCE.search(case.model_dump_json()) is None:
            yield case
