"""What an environment declares, compared with its proposal, so that none passes by being emptied.

Here: tools, effects, inputs and result fields.
Not here: what the tools do (`liveliness`), and whether rules are kept, which the tester's cases say.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import cast

from envfactory_assets.records.proposals import EnvironmentProposal, ProposedTool
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.attempts.taken_names import declared_name
from sandboxes.core.parameters import without_null
from sandboxes.verification.report import Fault, Finding

_MOST_EXTRA_SHARE = 0.5
_LEAST_EXTRA = 2


def compare_declarations(
    proposal: EnvironmentProposal, tools: Sequence[JsonObject]
) -> list[Finding]:
    """Return where the tools of an environment are not those of its proposal.

    Args:
        proposal: What the environment should be.
        tools: Its tools: name on the wire, effect, description and both schemas.
    """
    declared = {str(tool["name"]).split("__")[1]: tool for tool in tools}
    findings: list[Finding] = []
    found: set[str] = set()
    for proposed in proposal.tools:
        name = declared_name(proposed.name, declared, "tool")
        if name is None:
            findings.append(_missing(proposed, f"{proposal.name}__{proposed.name}", declared))
            continue
        found.add(name)
        tool = declared[name]
        findings += _effect_findings(proposed, tool)
        findings += _input_findings(proposed, tool)
        findings += _output_findings(proposed, tool)
    extra = [name for name in declared if name not in found]
    return [*findings, *_extra_findings(len(proposal.tools), extra)]


def _finding(tool: str | None, fault: Fault, expected: str, got: str, hint: str) -> Finding:
    return Finding(
        gate="interface",
        tool=tool,
        fault=fault,
        call=None,
        expected=expected,
        got=got,
        hint=hint,
    )


def _missing(proposed: ProposedTool, wire_name: str, declared: Collection[str]) -> Finding:
    return _finding(
        wire_name,
        "interface",
        f"the proposed tool {proposed.name!r}",
        f"only {', '.join(declared) or 'no tools'}",
        "Write every tool of the proposal; a tool that fails is mended, not removed.",
    )


def _effect_findings(proposed: ProposedTool, tool: JsonObject) -> Iterator[Finding]:
    if tool["effect"] != proposed.effect:
        yield _finding(
            str(tool["name"]),
            "interface",
            f"effect={proposed.effect!r}, as proposed",
            f"effect={tool['effect']!r}",
            "Declare the effect of the proposal and do what it says.",
        )
    if tool.get("actor", "agent") != "agent":
        yield _finding(
            str(tool["name"]),
            "interface",
            "a tool that an agent can call",
            f"actor={tool['actor']!r}",
            "Leave the actor away.",
        )


def _input_findings(proposed: ProposedTool, tool: JsonObject) -> Iterator[Finding]:
    name, schema = str(tool["name"]), cast("JsonObject", tool["input_schema"])
    wanted, got = _properties(proposed.input_schema), _properties(schema)
    needed, demanded = _required(proposed.input_schema), _required(schema)
    kept: set[str] = set()
    for proposed_key, node in wanted.items():
        key = declared_name(proposed_key, got, "field")
        if key is None:
            yield _finding(
                name,
                "schema",
                f"the proposed argument {proposed_key!r}",
                f"only {', '.join(got) or 'no arguments'}",
                "Declare every argument of the proposal, under its name.",
            )
            continue
        kept |= {key} if proposed_key in needed else set()
        for path, expected, found in _type_differences(node, got[key], key):
            yield _finding(
                name,
                "schema",
                f"{expected} for argument {path!r}, as proposed",
                found,
                "Declare the argument's type as the proposal has it.",
            )
        if proposed_key in needed and key not in demanded:
            yield _finding(
                name,
                "schema",
                f"the argument {key!r} to be required, as proposed",
                "one that may be left out",
                "Take the default away.",
            )
    for key in sorted(demanded - kept):
        yield _finding(
            name,
            "schema",
            f"only the arguments {sorted(needed)} to be required, as proposed",
            f"the required argument {key!r}",
            "Give it a default, or leave it out.",
        )


def _output_findings(proposed: ProposedTool, tool: JsonObject) -> Iterator[Finding]:
    schema = cast("JsonObject", tool["output_schema"])
    for path, expected, found in _missing_fields(proposed.output_schema, schema, ""):
        yield _finding(
            str(tool["name"]),
            "schema",
            f"{expected} at result field {path!r}, as proposed",
            found,
            "Return every result field of the proposal, under its name.",
        )


def _missing_fields(
    wanted: JsonObject, got: JsonObject, path: str
) -> Iterator[tuple[str, str, str]]:
    wanted, got = without_null(wanted), without_null(got)
    properties = _properties(got)
    for proposed_key, node in _properties(wanted).items():
        below = f"{path}.{proposed_key}" if path else proposed_key
        key = declared_name(proposed_key, properties, "field")
        if key is None and _is_open(node):
            continue
        if key is None:
            yield below, "a value", f"only {', '.join(properties) or 'nothing'}"
        else:
            yield from _type_differences(node, properties[key], below)
            yield from _missing_fields(node, properties[key], below)
    items, found = wanted.get("items"), got.get("items")
    if isinstance(items, dict) and isinstance(found, dict):
        yield from _missing_fields(items, found, f"{path}[]")


def _type_differences(
    wanted: JsonObject, got: JsonObject, path: str
) -> Iterator[tuple[str, str, str]]:
    """Yield where a declared value could not be one of the proposed type.

    One value will do where a list of such values is proposed.
    """
    wanted, got = without_null(wanted), without_null(got)
    one = wanted.get("items")
    if isinstance(one, dict) and "items" not in got and not _properties(one):
        wanted = without_null(one)
    allowed, found = _types(wanted), _types(got)
    if allowed and found and not (allowed & found):
        yield path, " or ".join(sorted(allowed)), " or ".join(sorted(found))
        return
    options, kept = wanted.get("enum"), got.get("enum", [got["const"]] if "const" in got else None)
    if isinstance(options, list) and isinstance(kept, list):
        lost = [option for option in options if option is not None and option not in kept]
        if lost:
            yield path, f"the choices {options}", f"the choices {kept}"
    items, inner = wanted.get("items"), got.get("items")
    if isinstance(items, dict) and isinstance(inner, dict):
        yield from _type_differences(items, inner, f"{path}[]")


def _is_open(node: JsonObject) -> bool:
    """Return whether a proposed value may be anything, an object without fields included."""
    node = without_null(node)
    return _types(node) <= {"object"} and not _properties(node) and "enum" not in node


def _types(node: JsonObject) -> frozenset[str]:
    """Return the JSON types of a node; whole numbers are numbers too. Empty when it is open."""
    kinds = node.get("type")
    listed = kinds if isinstance(kinds, list) else [kinds]
    types = {str(kind) for kind in listed if isinstance(kind, str) and kind != "null"}
    return frozenset("number" if kind == "integer" else kind for kind in types)


def _extra_findings(proposed_count: int, extra: Sequence[str]) -> Iterator[Finding]:
    most = max(_LEAST_EXTRA, int(proposed_count * _MOST_EXTRA_SHARE))
    if len(extra) > most:
        yield _finding(
            None,
            "interface",
            f"at most {most} tools that were not proposed",
            f"{len(extra)}: {', '.join(extra)}",
            "Remove the tools that the proposal does not have.",
        )


def _properties(schema: JsonObject) -> dict[str, JsonObject]:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    return {key: node for key, node in properties.items() if isinstance(node, dict)}


def _required(schema: JsonObject) -> set[str]:
    required = schema.get("required")
    return {str(name) for name in required} if isinstance(required, list) else set()
