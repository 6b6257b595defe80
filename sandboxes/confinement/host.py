"""What a worker does for the one environment that it holds. It reads no file: the text is sent.

Between requests it keeps the loaded class and nothing else; states come and go as JSON text.
"""

import json
import random
from collections.abc import Callable, Mapping
from typing import cast

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from sandboxes.confinement.messages import (
    CallReply,
    CallRequest,
    DescribeRequest,
    Description,
    Fault,
    Generator,
    LoadReply,
    LoadRequest,
    Request,
    ScenarioReply,
    ScenarioRequest,
    ScriptReply,
    ScriptRequest,
    StateReply,
    StateRequest,
    SubjectText,
    ToolDescription,
    VerifyReply,
    VerifyRequest,
)
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import EnvironmentFaultError, EnvironmentSourceError
from sandboxes.core.loading import load_text, pool_module_name
from sandboxes.core.tool import Tool
from sandboxes.core.world import World
from sandboxes.verification.other_process import OtherProcessError, Script, run_script
from sandboxes.verification.verify import verify_subject

Message = dict[str, JsonValue]
AskParent = Callable[[Message], Message]

_REQUEST: TypeAdapter[BaseModel] = TypeAdapter(Request)


class EnvironmentHost:
    """Answers requests about one environment."""

    def __init__(self) -> None:
        """Hold no environment yet."""
        self._environment: type[AnyEnvironment] | None = None

    def answer(self, message: Message, ask_parent: AskParent) -> Message:
        """Do what a request asks for, and return the reply.

        Raises:
            pydantic.ValidationError: If it is no request.
            MemoryError: If there was too little memory, which ends the worker.
        """
        request = _REQUEST.validate_python(message)
        try:
            return self._reply(request, ask_parent).model_dump(mode="json", warnings=False)
        except EnvironmentFaultError as error:
            if isinstance(error.__cause__, MemoryError):
                raise error.__cause__ from None
            return Fault(fault=str(error)[:5_000]).as_message()

    def _reply(self, request: BaseModel, ask_parent: AskParent) -> BaseModel:
        match request:
            case LoadRequest():
                return self._load(request.subject)
            case DescribeRequest():
                return _describe(self._loaded)
            case ScenarioRequest():
                return _draw(self._loaded, request)
            case StateRequest():
                return _read_state(self._loaded, request.state)
            case CallRequest():
                return _call(self._loaded, request)
            case VerifyRequest():
                return self._verify(request, ask_parent)
            case ScriptRequest():
                return _run_script(self._loaded, request.script)
            case _:
                raise TypeError(f"no request: {request!r}")

    @property
    def _loaded(self) -> type[AnyEnvironment]:
        if self._environment is None:
            raise EnvironmentFaultError("No environment was loaded; load one first.")
        return self._environment

    def _load(self, text: SubjectText) -> LoadReply:
        try:
            self._run_text(text)
        except EnvironmentSourceError as error:
            return LoadReply(error=str(error)[:5_000])
        return LoadReply()

    def _run_text(self, text: SubjectText) -> type[AnyEnvironment]:
        name = pool_module_name(text.environment_id, text.source_hash)
        self._environment = load_text(text.environment_id, name, text.file_name, text.code.encode())
        return self._environment

    def _verify(self, request: VerifyRequest, ask_parent: AskParent) -> VerifyReply:
        def run_elsewhere(script: Script) -> list[list[str]]:
            reply = ask_parent(ScriptRequest(script=script.model_dump_json()).as_message())
            if "fault" in reply:
                raise OtherProcessError(str(reply["fault"]))
            return ScriptReply.model_validate(reply).digests

        report = verify_subject(
            request.subject.subject(),
            lambda: self._run_text(request.subject),
            run_elsewhere,
            mutation=request.mutation,
            seed=request.seed,
        )
        tools = self._environment.tools.values() if self._environment else ()
        return VerifyReply(
            report=report.model_dump_json(), tools=[tool.schema_text() for tool in tools]
        )


def _describe(environment: type[AnyEnvironment]) -> Description:
    try:
        return Description(
            class_name=environment.__name__,
            documentation=environment.__doc__,
            tools=[_describe_tool(tool) for tool in environment.tools.values()],
        )
    except Exception as error:
        raise _fault("The description", error) from error


def _describe_tool(tool: Tool) -> ToolDescription:
    return ToolDescription(
        name=tool.name,
        effect=tool.effect,
        actor=tool.actor,
        phrasings=list(tool.phrasings),
        description=tool.description,
        input_schema=tool.internal_input_schema,
        output_schema=tool.internal_output_schema,
    )


def _draw(environment: type[AnyEnvironment], request: ScenarioRequest) -> ScenarioReply:
    world = World.model_validate_json(request.world)
    rng = random.Random()
    request.generator.put_into(rng)
    try:
        state = environment.scenario(world, rng).dump().decode()
    except Exception as error:
        raise _fault("scenario()", error) from error
    return ScenarioReply(state=state, generator=Generator.of(rng))


def _read_state(environment: type[AnyEnvironment], text: str) -> StateReply:
    try:
        return StateReply(state=environment.state_type.load(text).dump().decode())
    except ValidationError as error:
        first = error.errors()[0]
        return StateReply(location=list(first["loc"]), message=first["msg"])
    except Exception as error:
        raise _fault("Reading a state", error) from error


def _call(environment: type[AnyEnvironment], request: CallRequest) -> CallReply:
    arguments = cast("Mapping[str, JsonValue]", json.loads(request.arguments))
    try:
        live = environment(environment.state_type.load(request.state))
        outcome = live.carry_out(request.tool, arguments)
        after = live.state.dump().decode()
    except EnvironmentFaultError:
        raise
    except Exception as error:
        raise _fault(f"{environment.environment_name()}__{request.tool}", error) from error
    changed = None if after == request.state or outcome.error is not None else after
    return CallReply.model_construct(
        bound=outcome.bound, result=outcome.result, error=outcome.error, state=changed
    )


def _run_script(environment: type[AnyEnvironment], text: str) -> ScriptReply:
    script = Script.model_validate_json(text)
    try:
        return ScriptReply(digests=[run_script(environment, script)])
    except Exception as error:
        raise _fault("Making the calls again", error) from error


def _fault(what: str, error: Exception) -> EnvironmentFaultError:
    return EnvironmentFaultError(f"{what} raised {type(error).__name__}: {str(error)[:1_000]}")


_HOST = EnvironmentHost()
answer = _HOST.answer
