"""The environment contract: a state model, typed tools, and realistic scenarios."""

import random
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar, cast, get_args, get_origin

from pydantic import JsonValue

from sandboxes.core.clock import Clock
from sandboxes.core.errors import EnvironmentFaultError, EnvironmentSourceError, ToolError
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.parameters import JsonObject
from sandboxes.core.state import State
from sandboxes.core.tool import Tool, ToolOutcome, mark_of
from sandboxes.core.world import World

StateT = TypeVar("StateT", bound=State)


class Environment(Generic[StateT]):
    """One stateful simulated service.

    A subclass names its state model (`class HotelBooking(Environment[HotelBookingState])`), marks
    its tools with `@tool`, and draws its scenarios. Its docstring describes the service to a
    model. Tools read and change `self.state` only, take the time from `self.clock`, ids from
    `self.clock.next_id(prefix)`, and refuse a call by raising `ToolError` before they change
    anything.

    Attributes:
        state: The state of this session; no other session holds it.
        state_type: The state model.
        tools: What can be called, by name.
        methods: The same with their code, where that is in this process; else empty.
    """

    state_type: ClassVar[type[State]]
    tools: ClassVar[Mapping[str, Tool]]
    methods: ClassVar[Mapping[str, MethodTool]]

    def __init__(self, state: StateT) -> None:
        """Attach the environment to one state."""
        self.state = state

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Derive the state type and the tools of a subclass.

        Raises:
            EnvironmentSourceError: If the class names no state model or a tool is ill-declared.
        """
        super().__init_subclass__(**kwargs)
        cls.state_type = _state_type(cls)
        cls.methods = {
            name: MethodTool(cls.environment_name(), name, attribute)
            for name, attribute in vars(cls).items()
            if mark_of(attribute) is not None
        }
        cls.tools = cls.methods

    @classmethod
    def environment_name(cls) -> str:
        """Return the short name: the file's name, which tools carry as prefix."""
        return cls.__module__.rsplit(".", 1)[-1]

    @classmethod
    def environment_id(cls) -> str:
        """Return `<domain>.<name>`, from where the file stands."""
        return ".".join(cls.__module__.split(".")[-2:])

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> StateT:
        """Draw a realistic initial state from a world.

        Args:
            world: The people, places and organisations that all environments of a session share.
            rng: The only source of chance.
        """
        raise NotImplementedError(f"{cls.__name__} draws no scenario; define scenario().")

    def carry_out(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolOutcome:
        """Run a tool by its name. A refused or failed call leaves the state as it was.

        Raises:
            EnvironmentFaultError: If the environment broke its contract.
        """
        method = self.methods[tool]
        try:
            bound = method.bind(arguments)
        except ToolError as error:
            return ToolOutcome(None, None, str(error))
        before = self.state.dump() if method.effect == "write" else None
        bound_json = cast("JsonObject", bound.__pydantic_serializer__.to_python(bound, mode="json"))
        try:
            return ToolOutcome(bound_json, method.call(self, bound), None)
        except Exception as error:
            if before is not None:
                self.state = cast("StateT", self.state_type.load(before))
            if isinstance(error, ToolError):
                return ToolOutcome(bound_json, None, str(error))
            raise EnvironmentFaultError(
                f"{method.wire_name} raised {type(error).__name__}: {error}; a tool refuses a call "
                "with ToolError only."
            ) from error

    @property
    def clock(self) -> Clock:
        """The session's clock and id counters, which live in the state."""
        return self.state.clock


AnyEnvironment = Environment[Any]


def _state_type(cls: type[AnyEnvironment]) -> type[State]:
    for parent in getattr(cls, "__orig_bases__", ()):
        if get_origin(parent) is Environment:
            (state_type,) = get_args(parent)
            if isinstance(state_type, type) and issubclass(state_type, State):
                return state_type
    raise EnvironmentSourceError(
        f"{cls.__name__} names no state model; declare it as "
        f"class {cls.__name__}(Environment[{cls.__name__}State])."
    )
