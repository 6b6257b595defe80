"""What an environment declares, compared with its proposal, so that none passes by being emptied.

Here: tools, effects, inputs and result fields.
Not here: what the tools do (`liveliness`), and whether rules are kept, which the tester's cases say.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from envfactory_assets.records.proposals import EnvironmentProposal, ProposedTool
from envfactory_assets.records.record import JsonObject
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
    declared = {str(tool["name"]): tool for tool in tools}
    findings: list[Finding] = []
    for proposed in proposal.tools:
        wire_name = f"{proposal.name}__{proposed.name}"
        tool = declared.get(wire_name)
        if tool is None:
            findings.append(_missing(proposed, wire_name, list(declared)))
            continue
        findings += _effect_findings(proposed, tool)
        findings += _input_findings(proposed, tool)
        findings += _output_findings(proposed, tool)
    return [*findings, *_extra_findings(proposal, declared)]


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


def _missing(proposed: ProposedTool, wire_name: str, declared: Sequence[str]) -> Finding:
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


def _input_findings(proposed: ProposedTool, tool: JsonObject) -> Iterator[Finding]:
    name, schema = str(tool["name"]), cast("JsonObject", tool["input_schema"])
    wanted, got = _properties(proposed.input_schema), _properties(schema)
    needed, demanded = _required(proposed.input_schema), _required(schema)
    for key, node in wanted.items():
        if key not in got:
            yield _finding(
                name,
                "schema",
                f"the proposed argument {key!r}",
                f"only {', '.join(got) or 'no arguments'}",
                "Declare every argument of the proposal, under its name.",
            )
            continue
        for path, expected, found in _type_differences(node, got[key], key):
            yield _finding(
                name,
                "schema",
                f"{expected} for argument {path!r}, as proposed",
                found,
                "Declare the argument's type as the proposal has it.",
            )
        if key in needed and key not in demanded:
            yield _finding(
                name,
                "schema",
                f"the argument {key!r} to be required, as proposed",
                "one that may be left out",
                "Take the default away.",
            )
    for key in sorted(demanded - needed):
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
    for key, node in _properties(wanted).items():
        below = f"{path}.{key}" if path else key
        if key not in properties:
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
    """Yield where a declared value could not be one of the proposed type."""
    wanted, got = without_null(wanted), without_null(got)
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


def _types(node: JsonObject) -> frozenset[str]:
    """Return the JSON types of a node; whole numbers are numbers too. Empty when it is open."""
    kinds = node.get("type")
    listed = kinds if isinstance(kinds, list) else [kinds]
    types = {str(kind) for kind in listed if isinstance(kind, str) and kind != "null"}
    return frozenset("number" if kind == "integer" else kind for kind in types)


def _extra_findings(
    proposal: EnvironmentProposal, declared: Mapping[str, JsonObject]
) -> Iterator[Finding]:
    wanted = {f"{proposal.name}__{tool.name}" for tool in proposal.tools}
    extra = [name for name in declared if name not in wanted]
    most = max(_LEAST_EXTRA, int(len(wanted) * _MOST_EXTRA_SHARE))
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
