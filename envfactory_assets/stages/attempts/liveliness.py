"""What an environment does, seen in sessions: code that only looks like the proposal fails.

Here: constant and empty results, results that only repeat the arguments, writes that change
nothing or nothing that can be read, scenarios that are all the same, ids that are not declared.
Not here: whether the rules of the proposal are kept; that the tester's cases say.
"""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.attempts.probing import Probe, Prober
from envfactory_assets.stages.attempts.verifier import Verifier
from envfactory_assets.stages.attempts.visibility import is_visible
from sandboxes.core.canonical import canonical_json
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.json_paths import text_leaves
from sandboxes.core.parameters import JsonObject
from sandboxes.core.tool import Tool
from sandboxes.verification.report import Fault, Finding, Gate

PROBED_SEEDS = (0, 1, 2)
_ENOUGH_RESULTS = 3
_WRITES_FOLLOWED = 3
_STORING = ("create", "update", "delete")


def compare_behaviour(
    proposal: EnvironmentProposal, source: EnvironmentSource, verifier: Verifier
) -> list[Finding]:
    """Return where an environment that runs does less than it looks like.

    Args:
        proposal: What the environment should be.
        source: Its file.
        verifier: Where its code runs.
    """
    tools: list[Tool] = []
    states: list[JsonObject] = []
    probes: list[Probe] = []
    visible: dict[str, list[bool]] = {}
    for seed in PROBED_SEEDS:
        session = verifier.open(source, seed)
        try:
            tools = session.tools
            states.append(session.states()[source.environment_id])
            made = _tried(Prober(session, source.environment_id, seed))
            for write in _stored(proposal, made):
                visible.setdefault(write.tool.name, []).append(is_visible(session, write, made))
            probes += made
        finally:
            session.close()
    return [
        *_scenario_findings(states),
        *(finding for tool in tools for finding in _tool_findings(tool, probes)),
        *_identifier_findings(proposal, tools),
        *_hidden_findings(probes, visible),
    ]


def _tried(prober: Prober) -> list[Probe]:
    """Try every tool, and harder where a reading one finds nothing."""
    made = prober.probe()
    for tool in prober.session.tools:
        finds = any(_finds(probe) for probe in made if probe.tool.name == tool.name)
        if tool.effect == "read" and not finds:
            made += prober.of_rows(tool)
    return made


def _finds(probe: Probe) -> bool:
    return any(_is_telling(leaf) for _, leaf in text_leaves(probe.result))


def _finding(
    gate: Gate, tool: str | None, fault: Fault, call: str | None, expected: str, got: str, hint: str
) -> Finding:
    return Finding(
        gate=gate, tool=tool, fault=fault, call=call, expected=expected, got=got, hint=hint
    )


def _scenario_findings(states: Sequence[JsonObject]) -> Iterator[Finding]:
    held = [{key: value for key, value in state.items() if key != "clock"} for state in states]
    if not any(_is_telling(value) for state in held for _, value in text_leaves(state)):
        got = "nothing in any of them"
    elif len({canonical_json(state) for state in held}) == 1:
        got = "the same from every seed"
    else:
        return
    yield _finding(
        "execution",
        None,
        "implementation",
        None,
        "scenario() to draw other entities from other seeds",
        got,
        "Draw names, numbers and counts from the generator, people and cities from the world.",
    )


def _tool_findings(tool: Tool, probes: Sequence[Probe]) -> Iterator[Finding]:
    made = [probe for probe in probes if probe.tool.name == tool.name and probe.is_ok]
    if not made:
        return
    if tool.effect == "write":
        if not any(probe.changed for probe in made):
            yield _finding(
                "state",
                tool.wire_name,
                "implementation",
                made[0].call,
                "a writing tool to change what the state holds",
                "no change but of counters",
                "Keep in the state what the tool is told.",
            )
        return
    if not any(map(_finds, made)):
        yield _finding(
            "results",
            tool.wire_name,
            "implementation",
            made[0].call,
            "a reading tool to find something in some scenario",
            f"an empty result from each of {len(made)} calls",
            "Return what the state holds, and let the scenario hold something to find.",
        )
    elif len(made) >= _ENOUGH_RESULTS and _is_constant(made):
        yield _finding(
            "parameters",
            tool.wire_name,
            "implementation",
            made[0].call,
            "a result that comes from the state",
            f"the same from {len(made)} calls on {len(PROBED_SEEDS)} scenarios, but for what "
            f"repeats the arguments: {canonical_json(made[0].result)[:200]}",
            "Look up what is asked for; do not make it up or repeat it.",
        )


def _is_constant(made: Sequence[Probe]) -> bool:
    """Return whether results are all the same once leaves that repeat an argument are left out.

    A lone yes or no may well be the same in a few calls.
    """
    left = [_without_echo(probe) for probe in made]
    if len({canonical_json(value) for value in left}) > 1:
        return False
    leaves = [leaf for _, leaf in text_leaves(left[0])]
    return not leaves or not all(isinstance(leaf, bool) for leaf in leaves)


def _without_echo(probe: Probe) -> JsonValue:
    given = {
        canonical_json(value)
        for _, value in text_leaves(probe.arguments)
        if not isinstance(value, bool)
    }

    def walk(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        return None if canonical_json(value) in given else value

    return walk(probe.result)


def _is_telling(leaf: JsonValue) -> bool:
    return leaf not in (None, "", 0, False)


def _identifier_findings(proposal: EnvironmentProposal, tools: Sequence[Tool]) -> Iterator[Finding]:
    entities = {entity.name for entity in proposal.entities}
    for tool in tools:
        for parameter in tool.inputs:
            names_entity = parameter.name.removesuffix("_id") in entities
            if parameter.name.endswith("_id") and names_entity and parameter.identifier is None:
                yield _finding(
                    "interface",
                    tool.wire_name,
                    "schema",
                    None,
                    f"argument {parameter.path!r} to be a named identifier type",
                    f"a plain {parameter.type}",
                    "Declare it: RoomId = Annotated[str, Identifier('RoomId')], and use the same "
                    "type where tools return it.",
                )


def _stored(proposal: EnvironmentProposal, made: Sequence[Probe]) -> list[Probe]:
    """Return some calls that should have left something which can be read again.

    What no proposed tool reads may be stored unseen.
    """
    read = {tool.entity for tool in proposal.tools if tool.effect == "read"}
    names = {
        tool.name
        for tool in proposal.tools
        if tool.operation in _STORING and (tool.entity is None or tool.entity in read)
    }
    chosen: list[Probe] = []
    for probe in made:
        is_storing = probe.tool.name in names and probe.tool.effect == "write" and probe.changed
        followed = sum(other.tool.name == probe.tool.name for other in chosen)
        if is_storing and followed < _WRITES_FOLLOWED:
            chosen.append(probe)
    return chosen


def _hidden_findings(probes: Sequence[Probe], visible: dict[str, list[bool]]) -> Iterator[Finding]:
    for name, seen in visible.items():
        if not any(seen):
            shown = next(probe for probe in probes if probe.tool.name == name and probe.changed)
            yield _finding(
                "state",
                shown.tool.wire_name,
                "implementation",
                shown.call,
                "what it stores to show in what some other tool does afterwards",
                f"changes at {', '.join(shown.changed[:3])} that no other tool shows",
                "Store it where the reading tools look.",
            )
