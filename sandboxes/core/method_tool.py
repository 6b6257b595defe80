"""Tools that are typed methods: schemas and validation derive from their signature."""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import cast, get_type_hints

from pydantic import JsonValue, ValidationError, create_model
from pydantic.fields import FieldInfo

from sandboxes.core.errors import EnvironmentSourceError, ToolError
from sandboxes.core.parameters import JsonObject, inline_references
from sandboxes.core.tool import Arguments, Result, Tool, mark_of

_SUBJECT = re.compile(r"^(Value error, |\w+ (?=should))")


class MethodTool(Tool):
    """A tool whose code is in this process.

    Attributes:
        method: The typed method.
        result_type: What it returns.
        arguments_type: The model of its arguments, derived from the signature.
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
        description = inspect.cleandoc(method.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        super().__init__(
            environment_name, name, mark.effect, mark.phrasings, description, mark.actor
        )
        self.method = method
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
        """The input schema with the declared identifier types (`x-` keys), no references."""
        return inline_references(cast("JsonObject", self.arguments_type.model_json_schema()))

    @cached_property
    def internal_output_schema(self) -> JsonObject:
        """The output schema with identifier types and labels (`x-` keys), no references."""
        schema = self.result_type.model_json_schema(mode="serialization")
        return inline_references(cast("JsonObject", schema))

    @cached_property
    def field_infos(self) -> Mapping[str, FieldInfo]:
        """Pydantic's description of every argument."""
        return self.arguments_type.model_fields


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(".")
