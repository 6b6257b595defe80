"""Tools: typed methods declared once; schemas, validation and graph parameters derive from them."""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, ParamSpec, TypeVar, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, create_model
from pydantic.fields import FieldInfo

from sandboxes.core.canonical import canonical_json
from sandboxes.core.errors import EnvironmentSourceError, ToolError
from sandboxes.core.parameters import (
    JsonObject,
    Parameter,
    flatten,
    inline_references,
    strip_annotations,
)

Effect = Literal["read", "write"]

_P = ParamSpec("_P")
_R = TypeVar("_R", bound=BaseModel)
_MARK = "__envfactory_tool__"
_SUBJECT = re.compile(r"^(Value error, |\w+ (?=should))")


class Result(BaseModel):
    """What a tool returns: subclass it; every field is described."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Arguments(BaseModel):
    """The validated arguments of one call; `Tool` derives a subclass for each tool."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class ToolMark:
    """What `@tool` notes on a method."""

    effect: Effect
    phrasings: tuple[str, ...]


def tool(
    *, effect: Effect, phrasings: tuple[str, ...] = ()
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Mark a method of an environment as a tool.

    Args:
        effect: `read` when the tool never changes the state, else `write`.
        phrasings: Short imperative clauses in which a user asks for it, with `{parameter}` slots;
            a part in square brackets is left out when a slot in it has no value:
            `book a room at {hotel_id} from {check_in} to {check_out}[ for {guests} guests]`.
    """

    def mark(method: Callable[_P, _R]) -> Callable[_P, _R]:
        setattr(method, _MARK, ToolMark(effect=effect, phrasings=phrasings))
        return method

    return mark


def mark_of(attribute: object) -> ToolMark | None:
    """Return the mark that `@tool` left on a class attribute, or None."""
    return getattr(attribute, _MARK, None)


class Tool:
    """One tool of one environment class.

    Attributes:
        name: The method's name.
        wire_name: `environment__tool`, as models and data name it.
        effect: `read` or `write`.
        phrasings: How a user asks for it (see `tool`).
        description: The method's docstring, first paragraph.
    """

    def __init__(self, environment_name: str, name: str, method: Callable[..., Result]) -> None:
        """Derive a tool from its marked method.

        Raises:
            EnvironmentSourceError: If the method lacks type hints or a docstring, or does not
                return a `Result`.
        """
        mark = mark_of(method)
        if mark is None:
            raise EnvironmentSourceError(f"{environment_name}.{name} is not marked with @tool.")
        self.name = name
        self.wire_name = f"{environment_name}__{name}"
        self.effect: Effect = mark.effect
        self.phrasings = mark.phrasings
        self.method = method
        self.description = (
            inspect.cleandoc(method.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        )
        hints = get_type_hints(method, include_extras=True)
        returns: object = hints.pop("return", None)
        if not (isinstance(returns, type) and issubclass(returns, Result)):
            raise EnvironmentSourceError(
                f"{self.wire_name} returns {returns!r}; a tool returns a subclass of Result."
            )
        self.result_type: type[Result] = returns
        self.arguments_type = self._derive_arguments(hints)
        self._validate = self.arguments_type.__pydantic_validator__.validate_json
        self._dump = returns.__pydantic_serializer__.to_python

    def _derive_arguments(self, hints: Mapping[str, object]) -> type[Arguments]:
        fields: dict[str, object] = {}
        for name, parameter in list(inspect.signature(self.method).parameters.items())[1:]:
            if name not in hints:
                raise EnvironmentSourceError(
                    f"Parameter {name!r} of {self.wire_name} has no type hint; annotate it, with "
                    "a Field description."
                )
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[name] = (hints[name], default)
        derive = cast("Callable[..., type[Arguments]]", create_model)
        return derive(f"{self.wire_name}__arguments", __base__=Arguments, **fields)

    def bind(self, arguments: Mapping[str, JsonValue]) -> Arguments:
        """Validate the arguments of a call.

        Raises:
            ToolError: If one is missing, unknown or ill-typed.
        """
        try:
            return cast("Arguments", self._validate(json.dumps(arguments)))
        except ValidationError as error:
            raise ToolError(self._explain(error)) from error

    def call(self, environment: object, bound: Arguments) -> JsonObject:
        """Run the tool on an environment instance and return its result as JSON values.

        Raises:
            TypeError: If the tool returns something else than it declares.
        """
        result: object = self.method(environment, **bound.__dict__)
        if not isinstance(result, self.result_type):
            raise TypeError(f"returned {result!r}, not a {self.result_type.__name__}")
        return cast("JsonObject", self._dump(result, mode="json", warnings="error"))

    def _explain(self, error: ValidationError) -> str:
        sentences = [self._explain_one(cast("JsonObject", item)) for item in error.errors()[:3]]
        return " ".join(sentences)

    def _explain_one(self, item: JsonObject) -> str:
        location = cast("tuple[str | int, ...]", item["loc"])
        where = ".".join(str(part) for part in location) or "arguments"
        if item["type"] == "missing":
            return f"Missing required argument {where!r} of {self.wire_name}."
        if item["type"] == "extra_forbidden":
            allowed = ", ".join(self.arguments_type.model_fields) or "none"
            return f"Unknown argument {where!r} of {self.wire_name}; allowed: {allowed}."
        message = _SUBJECT.sub("", str(item["msg"])).replace(" after validation", "")
        shown = repr(item["input"])[:80]
        return f"Argument {where!r} of {self.wire_name} {_sentence(message)}, got {shown}."

    @cached_property
    def internal_input_schema(self) -> JsonObject:
        """The input schema with the declared identifier types (`x-` keys)."""
        return inline_references(cast("JsonObject", self.arguments_type.model_json_schema()))

    @cached_property
    def internal_output_schema(self) -> JsonObject:
        """The output schema with the declared identifier types and labels (`x-` keys)."""
        schema = self.result_type.model_json_schema(mode="serialization")
        return inline_references(cast("JsonObject", schema))

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

    @cached_property
    def field_infos(self) -> Mapping[str, FieldInfo]:
        """Pydantic's description of every argument."""
        return self.arguments_type.model_fields

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
        """Return the canonical JSON of name, effect, description and both schemas."""
        return canonical_json(
            {
                "name": self.wire_name,
                "effect": self.effect,
                "description": self.description,
                "input_schema": self.input_schema,
                "output_schema": self.output_schema,
            }
        )


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")
