"""Environments whose code is in confined workers: classes like any other, made from a description.

What stays in this process is data that was checked when it came: declarations, states, results.
Every call, scenario and check of a state goes to a worker.
"""

import json
import random
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Self, cast

from pydantic import ConfigDict, JsonValue, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from sandboxes.confinement.environment_workers import EnvironmentWorkers
from sandboxes.confinement.messages import (
    CallReply,
    CallRequest,
    Generator,
    ScenarioReply,
    ScenarioRequest,
    ToolDescription,
)
from sandboxes.core.environment import Environment
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.parameters import JsonObject
from sandboxes.core.state import State
from sandboxes.core.tool import Tool, ToolOutcome
from sandboxes.core.world import World


class ConfinedState(State):
    """A state whose model is in the worker: the clock, and tables as plain JSON values."""

    model_config = ConfigDict(extra="allow")
    workers: ClassVar[EnvironmentWorkers]

    @classmethod
    def load(cls, text: str | bytes) -> Self:
        """Read a state that the environment's own model accepts.

        Raises:
            pydantic.ValidationError: If it does not accept the text.
            EnvironmentFaultError: If the environment or its worker failed.
        """
        plain = text.decode() if isinstance(text, bytes) else text
        normal = cls.workers.normal_text(plain)
        if isinstance(normal, str):
            return cls.read("Reading a state", normal)
        error = PydanticCustomError("state", "{message}", {"message": normal.message})
        details = InitErrorDetails(type=error, loc=tuple(normal.location), input=None)
        raise ValidationError.from_exception_data(cls.__name__, [details])

    @classmethod
    def read(cls, what: str, text: str) -> Self:
        """Read a state that a worker wrote.

        Raises:
            EnvironmentFaultError: If it is no state.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise EnvironmentFaultError(
                f"{what} gave what is no state, at {where!r}: {first['msg']}"
            ) from error


class ConfinedTool(Tool):
    """A tool whose code is in the worker."""

    def __init__(self, environment_name: str, description: ToolDescription) -> None:
        """Hold what the worker said of it."""
        super().__init__(
            environment_name,
            description.name,
            description.effect,
            tuple(description.phrasings),
            description.description,
            description.actor,
        )
        self._description = description

    @cached_property
    def internal_input_schema(self) -> JsonObject:
        """The input schema with the declared identifier types (`x-` keys), no references."""
        return self._description.input_schema

    @cached_property
    def internal_output_schema(self) -> JsonObject:
        """The output schema with identifier types and labels (`x-` keys), no references."""
        return self._description.output_schema


class ConfinedEnvironment(Environment[ConfinedState]):
    """An environment whose code is in confined workers; `load_confined` makes its subclasses.

    Attributes:
        workers: Where the code is.
    """

    workers: ClassVar[EnvironmentWorkers]

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Derive nothing: a subclass is given what the worker said of the environment."""

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> ConfinedState:
        """Draw an initial state, as the environment itself would, and move the generator on.

        Raises:
            EnvironmentFaultError: If the environment or its worker failed.
        """
        request = ScenarioRequest(world=world.model_dump_json(), generator=Generator.of(rng))
        reply = cls.workers.ask("scenario()", request, ScenarioReply)
        state = cast("type[ConfinedState]", cls.state_type).read("scenario()", reply.state)
        try:
            reply.generator.put_into(rng)
        except ValueError as error:
            raise EnvironmentFaultError(f"scenario() left {error}") from error
        cls.workers.note_normal(reply.state)
        return state

    def carry_out(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolOutcome:
        """Run a tool in a worker. A refused or failed call leaves the state as it was.

        Raises:
            EnvironmentFaultError: If the environment or its worker failed.
        """
        name = self.tools[tool].wire_name
        request = CallRequest(
            tool=tool, arguments=json.dumps(arguments), state=self.state.dump().decode()
        )
        reply = self.workers.ask(name, request, CallReply)
        if reply.state is not None:
            self.state = type(self.state).read(name, reply.state)
            self.workers.note_normal(reply.state)
        return ToolOutcome(reply.bound, reply.result, reply.error)
