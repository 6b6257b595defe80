"""Gate 1: what an environment says of itself is complete and agrees with its signatures."""

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import cast

from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.parameters import JsonObject, without_null
from sandboxes.verification.report import Fault, Finding

LEAST_WRITE_SHARE = 1 / 3
_WIRE_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*__[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_WIRE_NAME_LENGTH = 64
_SLOT = re.compile(r"\{([^{}]*)\}")
_OPTIONAL_PART = re.compile(r"\[[^\[\]]*\]")


def check_interface(
    environment: type[AnyEnvironment], served: Mapping[str, JsonObject] | None = None
) -> list[Finding]:
    """Return what is missing or contradictory in the description of an environment.

    Args:
        environment: The environment's class.
        served: The input schema that a server shows for each wire name, to be compared with what
            the tools declare; not compared when None.
    """
    tools = list(environment.methods.values())
    findings = list(_environment_findings(environment, tools))
    for tool in tools:
        findings.extend(_description_findings(tool, tools))
        findings.extend(_signature_findings(tool))
        findings.extend(_phrasing_findings(tool))
        if served is not None and served.get(tool.wire_name) != tool.input_schema:
            findings.append(
                _finding(
                    tool,
                    "schema",
                    "the server to show the declared input schema",
                    f"{served.get(tool.wire_name)}",
                    "Serve Tool.input_schema unchanged.",
                )
            )
    return findings


def _finding(tool: MethodTool | None, fault: Fault, expected: str, got: str, hint: str) -> Finding:
    return Finding(
        gate="interface",
        tool=tool.wire_name if tool else None,
        fault=fault,
        call=None,
        expected=expected,
        got=got,
        hint=hint,
    )


def _environment_findings(
    environment: type[AnyEnvironment], tools: list[MethodTool]
) -> Iterator[Finding]:
    if not inspect.cleandoc(environment.__doc__ or ""):
        yield _finding(
            None,
            "interface",
            "a docstring that describes the service",
            "none",
            f"Give class {environment.__name__} a docstring.",
        )
    writing = [tool for tool in tools if tool.effect == "write"]
    if not tools or len(writing) / len(tools) < LEAST_WRITE_SHARE:
        yield _finding(
            None,
            "interface",
            "at least a third of the tools to write",
            f"{len(writing)} of {len(tools)}",
            "Add tools that change the state: a state reward says nothing without them.",
        )
    given = {parameter.identifier for tool in tools for parameter in tool.outputs}
    for tool in tools:
        for parameter in tool.inputs:
            is_internal = parameter.identifier is not None and not parameter.speakable
            if is_internal and parameter.identifier not in given:
                yield _finding(
                    tool,
                    "interface",
                    f"some tool to return a {parameter.identifier}, for {parameter.path!r}",
                    "none that does",
                    "Return the id from a tool that lists or makes such things.",
                )


def _description_findings(tool: MethodTool, tools: list[MethodTool]) -> Iterator[Finding]:
    if not tool.description:
        yield _finding(
            tool, "interface", "a docstring that says what it does", "none", "Give it a docstring."
        )
    if not (_WIRE_NAME.fullmatch(tool.wire_name) and len(tool.wire_name) <= _WIRE_NAME_LENGTH):
        yield _finding(
            tool,
            "interface",
            f"a lower-case name of at most {_WIRE_NAME_LENGTH} characters with one '__'",
            repr(tool.wire_name),
            "Rename the file or the method.",
        )
    names = [other.name for other in tools if "_" in other.name]
    for side, schema in (
        ("argument", tool.internal_input_schema),
        ("result field", tool.internal_output_schema),
    ):
        for path, description in _described(schema, ""):
            problem = _description_problem(path, description, names)
            if problem is not None:
                yield _finding(
                    tool,
                    "schema",
                    f"a description of {side} {path!r} that says more than its name",
                    problem,
                    f"Declare it with Field(description=…) at {side} {path!r}.",
                )


def _described(node: JsonObject, path: str) -> Iterator[tuple[str, str]]:
    node = without_null(node)
    properties = node.get("properties")
    if isinstance(properties, dict):
        for key, child in properties.items():
            below = f"{path}.{key}" if path else key
            schema = without_null(cast("JsonObject", child))
            yield below, str(schema.get("description", ""))
            yield from _described(schema, below)
    for keyword, mark in (("items", "[]"), ("additionalProperties", "{}")):
        child = node.get(keyword)
        if isinstance(child, dict):
            yield from _described(child, f"{path}{mark}")


def _description_problem(path: str, description: str, tool_names: list[str]) -> str | None:
    if not description.strip():
        return "no description"
    words = re.sub(r"\W+", " ", description.lower()).strip()
    if words == path.rsplit(".", 1)[-1].replace("_", " ").replace("[]", ""):
        return f"only its name, {description!r}"
    for name in tool_names:
        if re.search(rf"\b{name}\b", description):
            return f"the name of a tool, {description!r}"
    return None


def _signature_findings(tool: MethodTool) -> Iterator[Finding]:
    schema = tool.input_schema
    signature = list(inspect.signature(tool.method).parameters.values())[1:]
    properties = cast("JsonObject", schema.get("properties", {}))
    required = schema.get("required", [])
    declared: list[tuple[str, object, object]] = [
        ("arguments", [p.name for p in signature], list(properties)),
        ("required", [p.name for p in signature if p.default is inspect.Parameter.empty], required),
        ("additionalProperties", False, schema.get("additionalProperties")),
        ("type", "object", schema.get("type")),
    ]
    for what, expected, got in declared:
        if expected != got:
            yield _finding(
                tool,
                "schema",
                f"the input schema to state {what} {expected!r}, as the signature does",
                repr(got),
                "Derive the schema from the signature.",
            )


def _phrasing_findings(tool: MethodTool) -> Iterator[Finding]:
    arguments = list(tool.field_infos)
    required = [name for name, info in tool.field_infos.items() if info.is_required()]
    for phrasing in tool.phrasings:
        slots = _SLOT.findall(phrasing)
        always = _SLOT.findall(_OPTIONAL_PART.sub("", phrasing))
        unknown = [slot for slot in slots if slot not in arguments]
        missing = [name for name in required if name not in always]
        uneven = phrasing.count("[") != phrasing.count("]")
        problems = [f"no argument {slot!r}" for slot in unknown]
        problems += [f"no slot for the required {name!r}" for name in missing]
        problems += ["brackets that do not match"] if uneven else []
        if problems:
            yield _finding(
                tool,
                "interface",
                f"the phrasing {phrasing!r} to have slots for the arguments {arguments}",
                "; ".join(problems),
                "Write one {slot} for each required argument and a [part] for each optional one.",
            )
