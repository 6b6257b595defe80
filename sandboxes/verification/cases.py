"""The test cases an environment declares beside its file, and the running of them."""

import random
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from sandboxes.core.canonical import canonical_json
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import EnvironmentFaultError, SandboxError
from sandboxes.core.json_paths import parent_of, value_at
from sandboxes.core.parameters import JsonObject
from sandboxes.core.session import CallRecord, Session, ToolCall
from sandboxes.core.world import World
from sandboxes.verification.time_limit import TimeLimitExceededError, time_limit

Complexity = Literal["simple", "medium", "complex", "boundary"]
_REFERENCE = re.compile(r"\$(\d+)\.(.+)")
_LENGTH = ".length"
_CASE_SECONDS = 10.0


class CasesError(SandboxError):
    """A file of test cases that is missing or cannot be read as such."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CaseCall(_Data):
    """One call of a case and what must come of it.

    Attributes:
        tool: Name of the tool, without the environment's.
        arguments: JSON values; a text `$k.path` stands for a value of the k-th call's result.
        expect: Whether the call is carried out or refused.
        result: Expected values by path into the result (`hotels[0].name`, `hotels.length`).
        error: A part of the expected refusal.
    """

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    expect: Literal["ok", "refused"]
    result: dict[str, JsonValue] = Field(default_factory=dict)
    error: str | None = None


class Case(_Data):
    """One declared test case: calls on the scenario of a seed.

    Attributes:
        name: What it shows, as a sentence.
        complexity: `simple`, `medium`, `complex` or `boundary`.
        seed: Seed of the scenario.
        calls: The calls, in order.
    """

    name: str
    complexity: Complexity
    seed: int = 0
    calls: tuple[CaseCall, ...] = Field(min_length=1, max_length=200)


@dataclass(frozen=True, slots=True)
class CaseFailure:
    """What went otherwise than a case says.

    Attributes:
        call: The call that went otherwise.
        expected: What the case expects.
        got: What came.
    """

    call: ToolCall
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class CaseRun:
    """One run of a case.

    Attributes:
        case: The case.
        calls: The calls that were made, references filled in.
        failure: What went otherwise; None when the case passed.
    """

    case: Case
    calls: Sequence[ToolCall]
    failure: CaseFailure | None


class _Mismatch(Exception):  # noqa: N818
    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self.expected = expected
        self.got = got


_CASES: TypeAdapter[tuple[Case, ...]] = TypeAdapter(
    Annotated[tuple[Case, ...], Field(max_length=1_000)]
)


def load_cases(source: EnvironmentSource) -> tuple[Case, ...]:
    """Read the declared cases of an environment.

    Raises:
        CasesError: If the file is missing, is not a list of cases, or names two cases alike.
    """
    path = source.cases_path
    text = path.read_bytes() if path.exists() else None
    return parse_cases(source.environment_id, path.name, text)


def parse_cases(environment_id: str, file_name: str, text: bytes | None) -> tuple[Case, ...]:
    """Return the declared cases of an environment from the text of their file.

    Raises:
        CasesError: If there is none, it is not a list of cases, or it names two cases alike.
    """
    if text is None:
        raise CasesError(
            f"{environment_id} declares no cases; put a JSON list of them into {file_name} "
            "beside the environment."
        )
    try:
        cases = _CASES.validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise CasesError(
            f"{file_name} is not a list of cases: {where}: {first['msg']}; a case has name, "
            "complexity, seed and calls, a call has tool, arguments, expect, result and error."
        ) from error
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CasesError(f"{file_name} names several cases {twice[0]!r}; give each its own name.")
    return cases


def scenario_text(environment: type[AnyEnvironment], environment_id: str, seed: int) -> bytes:
    """Return the JSON text of the state that a seed's scenario starts from."""
    rng = random.Random(f"{environment_id}:{seed}")
    return environment.scenario(World.draw(seed), rng).dump()


def run_cases(
    environment: type[AnyEnvironment], environment_id: str, cases: Sequence[Case]
) -> list[CaseRun]:
    """Run cases, each on the scenario of its seed, up to one that does not come to an end.

    Raises:
        Exception: Whatever `scenario()` raises.
    """
    seeds = {case.seed for case in cases}
    texts = {seed: scenario_text(environment, environment_id, seed) for seed in seeds}
    runs: list[CaseRun] = []
    for case in cases:
        try:
            with time_limit(_CASE_SECONDS):
                runs.append(run_case(environment, texts[case.seed], case))
        except TimeLimitExceededError as error:
            first = case.calls[0]
            tool = f"{environment.environment_name()}__{first.tool}"
            call = ToolCall(tool=tool, arguments=first.arguments)
            failure = CaseFailure(call, "the case to come to an end", f"it {error}")
            return [*runs, CaseRun(case, [], failure)]
    return runs


def run_case(environment: type[AnyEnvironment], text: bytes, case: Case) -> CaseRun:
    """Run a case from a state's text, up to the first thing that goes otherwise.

    A warning counts as a fault: Pydantic warns of values that are not of the declared type.
    """
    name = environment.environment_name()
    session = Session({name: environment(environment.state_type.load(text))})
    calls: list[ToolCall] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in case.calls:
            failure = _run_call(session, name, call, calls)
            if failure is not None:
                return CaseRun(case, calls, failure)
    return CaseRun(case, calls, None)


def _run_call(
    session: Session, name: str, call: CaseCall, calls: list[ToolCall]
) -> CaseFailure | None:
    """Run one call of a case, add it to the calls made, and return how it went otherwise."""
    made = ToolCall(tool=f"{name}__{call.tool}", arguments=call.arguments)
    try:
        arguments = cast("JsonObject", _filled(call.arguments, session.log))
        made = ToolCall(tool=made.tool, arguments=arguments)
        tools = {tool.wire_name: tool for tool in session.tools}
        if made.tool not in tools:
            raise _Mismatch("a tool of this environment", f"{call.tool!r}")
        actor = tools[made.tool].actor
        made = ToolCall(tool=made.tool, arguments=arguments, actor=actor)
        calls.append(made)
        _compare(call, session.call(made.tool, arguments, actor), session.log)
    except _Mismatch as mismatch:
        return CaseFailure(made, mismatch.expected, mismatch.got)
    except (EnvironmentFaultError, ValueError, Warning) as error:
        return CaseFailure(made, call.expect, str(error))
    return None


def _compare(call: CaseCall, record: CallRecord, log: Sequence[CallRecord]) -> None:
    if call.expect == "refused":
        if record.ok:
            raise _Mismatch("a refusal", f"the result {canonical_json(record.result)}")
        if call.error is not None and call.error not in str(record.error):
            raise _Mismatch(f"a refusal with {call.error!r}", repr(record.error))
        return
    if not record.ok:
        raise _Mismatch("a result", f"the refusal {record.error!r}")
    for path, value in call.result.items():
        expected, got = _filled(value, log), _read(record, path)
        if not _is_equal(expected, got):
            raise _Mismatch(f"{path} = {canonical_json(expected)}", canonical_json(got))


def _is_equal(expected: JsonValue, got: JsonValue) -> bool:
    """Compare JSON values: 2 and 2.0 are one number, 1 and true are not."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(
            _is_equal(value, got[key]) for key, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(_is_equal, expected, got))
    return expected == got and isinstance(expected, bool) == isinstance(got, bool)


def _filled(value: JsonValue, records: Sequence[CallRecord]) -> JsonValue:
    """Return a value with every `$k.path` replaced by what the k-th call returned there."""
    if isinstance(value, dict):
        return {key: _filled(item, records) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, records) for item in value]
    match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    index, path = int(match.group(1)), match.group(2)
    if index >= len(records):
        raise _Mismatch(f"{value!r} to refer to an earlier call", f"{len(records)} earlier calls")
    return _read(records[index], path)


def _read(record: CallRecord, path: str) -> JsonValue:
    if path.endswith(_LENGTH):
        counted = value_at(record.result, path.removesuffix(_LENGTH))
        if isinstance(counted, (list, dict)):
            return len(counted)
    value = value_at(record.result, path)
    if value is None:
        holder = value_at(record.result, parent_of(path))
        if not (isinstance(holder, dict) and path.rsplit(".", 1)[-1] in holder):
            raise _Mismatch(f"a value at {path}", canonical_json(record.result))
    return value
