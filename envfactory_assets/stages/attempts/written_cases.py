"""Cases as a model hands them in: read one by one, so that a bad one costs only itself."""

import json
from collections.abc import Collection, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, WithJsonSchema

from envfactory_assets.records.record import JsonObject
from sandboxes.verification.cases import Case

_CALL: JsonObject = {
    "type": "object",
    "properties": {
        "tool": {"type": "string", "description": "Name of the tool, without the service's"},
        "arguments": {"type": "object", "description": "JSON values by argument"},
        "expect": {"type": "string", "enum": ["ok", "refused"]},
        "result": {
            "type": "object",
            "description": "For ok: expected values by path into the result",
        },
        "error": {
            "type": ["string", "null"],
            "description": "For refused: an id or number that the sentence must name",
        },
    },
    "required": ["tool", "arguments", "expect"],
}
CASE_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "What the case shows, as a sentence"},
        "complexity": {"type": "string", "enum": ["simple", "medium", "complex", "boundary"]},
        "seed": {"type": "integer", "description": "The scenario it runs on"},
        "calls": {"type": "array", "minItems": 1, "items": _CALL},
    },
    "required": ["name", "complexity", "seed", "calls"],
}
WrittenCase = Annotated[JsonValue, WithJsonSchema(CASE_SCHEMA)]


class CaseList(BaseModel):
    """Test cases of a service."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    cases: list[WrittenCase] = Field(description="The cases")


class Judgement(BaseModel):
    """What the tester says of one failed case."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    case: str = Field(description="Name of the failed case")
    is_upheld: bool = Field(description="Whether the case is right and the code is wrong")
    reason: str = Field(description="Why, in one sentence")
    replacement: WrittenCase = Field(
        default=None, description="A case in place of one that is withdrawn, or left out"
    )


class JudgementList(BaseModel):
    """What the tester says of each failed case."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    judgements: list[Judgement] = Field(description="One for each failed case")


def read_cases(
    written: Sequence[JsonValue], tools: Collection[str], seeds: Collection[int]
) -> tuple[list[Case], list[str]]:
    """Return the cases that can be run, and why others cannot.

    Args:
        written: What the model handed in.
        tools: Short names of the tools there are.
        seeds: The scenarios that the model was shown.
    """
    cases: list[Case] = []
    dropped: list[str] = []
    for number, value in enumerate(written, 1):
        try:
            case = Case.model_validate_json(json.dumps(_with_defaults(value)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "the case"
            dropped.append(f"case {number}: {where}: {first['msg']}")
            continue
        problem = _problem(case, tools, seeds, cases)
        if problem:
            dropped.append(f"case {case.name!r}: {problem}")
        else:
            cases.append(case)
    return cases, dropped


def _with_defaults(value: JsonValue) -> JsonValue:
    """Return a written case without the nulls that models fill in for what they leave out."""
    calls = value.get("calls") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(calls, list):
        return value
    return {
        **value,
        "calls": [
            {key: item for key, item in call.items() if item is not None}
            if isinstance(call, dict)
            else call
            for call in calls
        ],
    }


def _problem(
    case: Case, tools: Collection[str], seeds: Collection[int], earlier: Sequence[Case]
) -> str:
    unknown = sorted({call.tool for call in case.calls} - set(tools))
    if unknown:
        return f"unknown tool {unknown[0]!r}; there are {', '.join(tools)}"
    if case.seed not in seeds:
        return f"scenario {case.seed} was not shown; shown were {sorted(seeds)}"
    if any(case.name == other.name for other in earlier):
        return "a name that an earlier case has"
    return ""
