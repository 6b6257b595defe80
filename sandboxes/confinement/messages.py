"""What is asked of an environment's worker, and the shape of every reply.

Requests come from this package. Replies come from a process that runs unreviewed code: whoever
asks reads them strictly, by the models here, and believes nothing that it can check itself.
"""

import random
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from sandboxes.confinement.schema_form import check_schema
from sandboxes.core.parameters import JsonObject
from sandboxes.core.tool import Actor, Effect
from sandboxes.verification.subject import Subject

_GENERATOR_WORDS = 625
_Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]
_Prose = Annotated[str, Field(max_length=20_000)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def as_message(self) -> dict[str, JsonValue]:
        """Return the JSON object that goes over the wire."""
        return self.model_dump(mode="json")


class Generator(_Message):
    """Where a `random.Random` stands."""

    version: Literal[3]
    words: list[int] = Field(min_length=_GENERATOR_WORDS, max_length=_GENERATOR_WORDS)
    next_gauss: float | None

    @classmethod
    def of(cls, rng: random.Random) -> Self:
        """Read it off a generator."""
        version, words, next_gauss = rng.getstate()
        return cls(version=version, words=list(words), next_gauss=next_gauss)

    def put_into(self, rng: random.Random) -> None:
        """Set a generator to it.

        Raises:
            ValueError: If no generator stands there.
        """
        try:
            rng.setstate((self.version, tuple(self.words), self.next_gauss))
        except (OverflowError, TypeError) as error:
            raise ValueError(f"no state of a generator: {error}") from error


class SubjectText(_Message):
    """The text of an environment."""

    environment_id: str
    source_hash: str
    file_name: str
    code: str
    cases: str | None

    @classmethod
    def of(cls, subject: Subject) -> Self:
        """Return the text of a subject.

        Raises:
            UnicodeDecodeError: If it is not UTF-8.
        """
        return cls(
            environment_id=subject.environment_id,
            source_hash=subject.source_hash,
            file_name=subject.file_name,
            code=subject.code.decode(),
            cases=None if subject.cases is None else subject.cases.decode(),
        )

    def subject(self) -> Subject:
        """Return the subject that it was made of."""
        cases = None if self.cases is None else self.cases.encode()
        code = self.code.encode()
        return Subject(self.environment_id, self.source_hash, self.file_name, code, cases)


class LoadRequest(_Message):
    """Run the text of an environment; every other request but `verify` needs it before."""

    do: Literal["load"] = "load"
    subject: SubjectText


class DescribeRequest(_Message):
    """Say what the environment declares."""

    do: Literal["describe"] = "describe"


class ScenarioRequest(_Message):
    """Draw an initial state; the world is JSON text."""

    do: Literal["scenario"] = "scenario"
    world: str
    generator: Generator


class StateRequest(_Message):
    """Read a state's JSON text and write it again."""

    do: Literal["load_state"] = "load_state"
    state: str


class CallRequest(_Message):
    """Run a tool on a state; arguments and state are JSON texts."""

    do: Literal["call"] = "call"
    tool: str
    arguments: str
    state: str


class VerifyRequest(_Message):
    """Put the text of an environment through the gates."""

    do: Literal["verify"] = "verify"
    subject: SubjectText
    mutation: bool
    seed: int


class ScriptRequest(_Message):
    """Make recorded calls again; also what a worker that verifies asks back."""

    do: Literal["run_script"] = "run_script"
    script: str


Request = Annotated[
    LoadRequest
    | DescribeRequest
    | ScenarioRequest
    | StateRequest
    | CallRequest
    | VerifyRequest
    | ScriptRequest,
    Field(discriminator="do"),
]


class Fault(_Message):
    """What went wrong inside the environment; it may stand in for any reply."""

    fault: Annotated[str, Field(max_length=5_000)]


class LoadReply(_Message):
    """How loading went: a sentence on why it did not, or None."""

    error: _Prose | None = None


class ToolDescription(_Message):
    """What a tool declares, its internal schemas included."""

    name: _Identifier
    effect: Effect
    actor: Actor
    phrasings: Annotated[list[Annotated[str, Field(max_length=1_000)]], Field(max_length=100)]
    description: _Prose
    input_schema: JsonObject
    output_schema: JsonObject

    @model_validator(mode="after")
    def _check_schemas(self) -> Self:
        check_schema(self.input_schema)
        check_schema(self.output_schema)
        return self


class Description(_Message):
    """What an environment declares."""

    class_name: _Identifier
    documentation: _Prose | None
    tools: Annotated[list[ToolDescription], Field(max_length=200)]

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [tool.name for tool in self.tools]
        if len(set(names)) < len(names):
            raise ValueError("two tools share a name")
        return self


class ScenarioReply(_Message):
    """A drawn state as JSON text, and where the generator stands now."""

    state: str
    generator: Generator


class StateReply(_Message):
    """A state's text as the environment writes it, or the first place where it does not fit."""

    state: str | None = None
    location: list[str | int] = Field(default_factory=list[str | int])
    message: _Prose = ""


class CallReply(_Message):
    """What came of a call; the state is None when it is as it was."""

    bound: JsonObject | None
    result: JsonObject | None
    error: _Prose | None
    state: str | None

    @model_validator(mode="after")
    def _check_outcome(self) -> Self:
        if (self.result is None) == (self.error is None):
            raise ValueError("a call gives a result or an error")
        if self.result is not None and self.bound is None:
            raise ValueError("a call with a result has bound arguments")
        if self.error is not None and self.state is not None:
            raise ValueError("a refused call leaves the state as it was")
        return self


class VerifyReply(_Message):
    """A report, and the schema text of every tool that was verified."""

    report: str
    tools: list[str]


class ScriptReply(_Message):
    """The digests of a script's calls, one list for each process that made them."""

    digests: list[list[Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]]
