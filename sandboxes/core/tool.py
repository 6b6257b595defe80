"""Tools as the platform sees them: a name, an effect, schemas, and the graph parameters in them.

An environment declares a tool once, as a typed method with `@tool` (see `method_tool`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, ParamSpec, TypeVar, cast

from pydantic import BaseModel, ConfigDict

from sandboxes.core.canonical import canonical_json
from sandboxes.core.parameters import JsonObject, Parameter, flatten, strip_annotations

Effect = Literal["read", "write"]
Actor = Literal["agent", "user"]

_P = ParamSpec("_P")
_R = TypeVar("_R", bound=BaseModel)
_MARK = "__envfactory_tool__"


class Result(BaseModel):
    """What a tool returns: subclass it; every field is described."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Arguments(BaseModel):
    """The validated arguments of one call; `MethodTool` derives a subclass for each tool."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class ToolMark:
    """What `@tool` notes on a method."""

    effect: Effect
    phrasings: tuple[str, ...]
    actor: Actor


def tool(
    *, effect: Effect, phrasings: tuple[str, ...] = (), actor: Actor = "agent"
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Mark a method of an environment as a tool.

    Args:
        effect: `read` when the tool never changes the state, else `write`.
        phrasings: Short imperative clauses in which a user asks for it, with `{parameter}` slots;
            a part in square brackets is left out when a slot in it has no value:
            `book a room at {hotel_id} from {check_in} to {check_out}[ for {guests} guests]`.
        actor: `user` when only a person can do it, on a device of their own: no agent is shown
            such a tool, and a call of an agent is refused. What it returns only the user sees.
    """

    def mark(method: Callable[_P, _R]) -> Callable[_P, _R]:
        setattr(method, _MARK, ToolMark(effect=effect, phrasings=phrasings, actor=actor))
        return method

    return mark


def mark_of(attribute: object) -> ToolMark | None:
    """Return the mark that `@tool` left on a class attribute, or None."""
    return getattr(attribute, _MARK, None)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came of a call.

    Attributes:
        bound: The validated arguments with defaults filled in; None when they were refused.
        result: What the tool returned; None when the call was refused.
        error: One plain sentence for the model; None when the call was carried out.
    """

    bound: JsonObject | None
    result: JsonObject | None
    error: str | None


class Tool:
    """What one tool of one environment class declares; `Environment.carry_out` runs it.

    Attributes:
        name: The method's name.
        wire_name: `environment__tool`, as models and data name it.
        effect: `read` or `write`.
        phrasings: How a user asks for it (see `tool`).
        description: The method's docstring, first paragraph.
        actor: Who can call it: the agent, or only the user.
    """

    def __init__(
        self,
        environment_name: str,
        name: str,
        effect: Effect,
        phrasings: tuple[str, ...],
        description: str,
        actor: Actor = "agent",
    ) -> None:
        """Hold a declaration, all but its schemas."""
        self.name = name
        self.wire_name = f"{environment_name}__{name}"
        self.effect: Effect = effect
        self.phrasings = phrasings
        self.description = description
        self.actor: Actor = actor

    @cached_property
    def internal_input_schema(self) -> JsonObject:
        """The input schema with the declared identifier types (`x-` keys), no references."""
        raise NotImplementedError

    @cached_property
    def internal_output_schema(self) -> JsonObject:
        """The output schema with identifier types and labels (`x-` keys), no references."""
        raise NotImplementedError

    @cached_property
    def input_schema(self) -> JsonObject:
        """The JSON schema of the arguments, as a model sees it."""
        schema = cast("JsonObject", strip_annotations(self.internal_input_schema))
        return {key: value for key, value in schema.items() if key != "description"}

    @cached_property
    def output_schema(self) -> JsonObject:
        """The JSON schema of the result, as a model sees it."""
        schema = cast("JsonObject", strip_annotations(self.internal_output_schema))
        return {key: value for key, value in schema.items() if key != "description"}

    @cached_property
    def inputs(self) -> list[Parameter]:
        """The input leaves, in order of declaration."""
        return flatten(self.internal_input_schema, "input")

    @cached_property
    def outputs(self) -> list[Parameter]:
        """The output leaves, in order of declaration."""
        return flatten(self.internal_output_schema, "output")

    def as_function(self) -> JsonObject:
        """Return the tool in the function form that chat templates and trainers take."""
        return {
            "type": "function",
            "function": {
                "name": self.wire_name,
                "description": self.description,
                "parameters": self.input_schema,
            },
        }

    def schema_text(self) -> str:
        """Return the canonical JSON of name, effect, actor, description and both schemas."""
        return canonical_json(
            {
                "name": self.wire_name,
                "effect": self.effect,
                "actor": self.actor,
                "description": self.description,
                "input_schema": self.input_schema,
                "output_schema": self.output_schema,
            }
        )
