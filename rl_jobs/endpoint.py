"""A model behind a Messages endpoint attempts tasks, as every policy does: same sessions, same rows.

A call that hangs is cut off only where one attempt runs at a time: other threads cannot be
interrupted.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Annotated, Self, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.evaluation.attempts import EvaluatedAttempt, evaluated_attempt
from envfactory_assets.stages.reward.settings import RewardSettings
from envfactory_resources.clients.language_model.bounded_map import map_bounded
from envfactory_resources.clients.language_model.errors import (
    MalformedReplyError,
    ReplyError,
    TruncatedReplyError,
)
from envfactory_resources.clients.language_model.language_model import LanguageModel
from envfactory_resources.clients.language_model.reply import Reply, tool_result, user_message
from rl_jobs.config import HELD_OUT_TASKS, SessionLimits, TaskSelection
from rl_jobs.errors import ConfigError
from rl_jobs.exchange import Exchange, ReadCall, ReadMessage
from rl_jobs.task_choice import ChosenTasks, choose_tasks
from rl_jobs.task_session import Place

ROLE = "policy"
STAGE = "endpoint"
_PROMPT = "teacher.txt"
_CHARACTERS_PER_TOKEN = 4


class EndpointSettings(BaseModel):
    """How a model at an endpoint is evaluated; the `endpoint` table of a profile's `training`.

    Attributes:
        tasks: Which tasks; `max_prompt_tokens` is held against a quarter of the characters.
        limits: How much one attempt may do.
        reward: The weights of the reward.
        samples: Attempts at each task.
        k: Of pass@k; estimated where there are as many samples.
        temperature: Left to the endpoint where None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: TaskSelection = HELD_OUT_TASKS.model_copy(
        update={"max_prompt_tokens": 16384, "max_reference_calls": 15}
    )
    limits: SessionLimits = SessionLimits(
        max_calls=10, max_questions=2, max_messages=10, max_message_tokens=2048
    )
    reward: RewardSettings = RewardSettings()
    samples: Annotated[int, Field(ge=1)] = 2
    k: Annotated[int, Field(ge=1)] = 2
    temperature: Annotated[float, Field(ge=0.0)] | None = None

    @classmethod
    def over_defaults(cls, given: Mapping[str, JsonValue]) -> Self:
        """Return the defaults with some settings, parts of tables too, in their place.

        Raises:
            ConfigError: If a setting is unknown or wrong.
        """
        merged = cast("JsonObject", cls().model_dump(mode="json"))
        for name, value in given.items():
            below = merged.get(name)
            both = isinstance(below, dict) and isinstance(value, dict)
            merged[name] = (
                {**cast("JsonObject", below), **cast("JsonObject", value)} if both else value
            )
        try:
            return cls.model_validate_json(json.dumps(merged))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigError(
                f"Setting {where!r} of the endpoint's evaluation cannot be used: {first['msg']}. "
                f"Allowed: {', '.join(cls.model_fields)}."
            ) from error


@dataclass(slots=True)
class _Talk:
    """A conversation with the endpoint while it goes on."""

    system: str
    tools: list[JsonObject]
    sent: list[JsonObject]
    written: list[str] = field(default_factory=list[str])


def tasks_for(rows: Sequence[RlTask], settings: EndpointSettings) -> ChosenTasks:
    """Return the tasks that a model is evaluated on.

    Raises:
        RowsError: If none fits the selection.
    """
    return choose_tasks(rows, settings.tasks, _length)


def attempt_all(
    model: LanguageModel,
    tasks: Sequence[RlTask],
    place: Place,
    settings: EndpointSettings,
    done: Callable[[EvaluatedAttempt], None] = lambda _: None,
) -> list[EvaluatedAttempt]:
    """Let a model attempt tasks, several at a time, and return the attempts.

    Args:
        model: Whom to ask.
        tasks: What to attempt.
        place: Where the attempts run.
        settings: How often, and how.
        done: Told of every attempt that is over, from any thread.

    Raises:
        RequestError: If the model cannot be reached.
    """

    def one(asked: tuple[RlTask, int]) -> EvaluatedAttempt:
        row = attempt_task(model, asked[0], place, settings, asked[1])
        done(row)
        return row

    wanted = [(task, sample) for task in tasks for sample in range(settings.samples)]
    return map_bounded(one, wanted, max_concurrency=model.max_concurrency)


def attempt_task(
    model: LanguageModel, task: RlTask, place: Place, settings: EndpointSettings, sample: int
) -> EvaluatedAttempt:
    """Let a model attempt one task, in a session of its own.

    Args:
        model: Whom to ask.
        task: The task.
        place: Where the attempt runs.
        settings: How.
        sample: Another number asks for another attempt.

    Raises:
        RequestError: If the model cannot be reached.
    """
    exchange = Exchange(place.open(task))
    talk = _begun(task)
    while not exchange.is_done:
        _next_message(model, talk, exchange, settings, sample)
    outcome = exchange.session.close()
    limits = place.limits
    is_used_up = exchange.messages >= limits.max_messages or outcome.calls >= limits.max_calls
    return evaluated_attempt(
        STAGE,
        task,
        exchange.session.reference,
        outcome.attempt,
        outcome.reward,
        fault=outcome.fault,
        is_cut=exchange.is_cut or is_used_up,
        completion="\n".join(talk.written),
        sample=sample,
        decoding="sampled",
    )


def as_sent(messages: Sequence[Mapping[str, JsonValue]]) -> list[JsonObject]:
    """Return chat-completions messages, without the system's, as the endpoint takes them."""
    sent: list[JsonObject] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = list(_blocks(message))
        if message["role"] == "system" or not blocks:
            continue
        if sent and sent[-1]["role"] == role:
            cast("list[JsonValue]", sent[-1]["content"]).extend(blocks)
        else:
            sent.append({"role": role, "content": cast("JsonValue", blocks)})
    return sent


def _next_message(
    model: LanguageModel, talk: _Talk, exchange: Exchange, settings: EndpointSettings, sample: int
) -> None:
    """Get the model's next message, act on it, and add what it is told."""
    try:
        reply = model.complete(
            ROLE,
            talk.system,
            talk.sent,
            max_tokens=exchange.session.limits.max_message_tokens,
            temperature=settings.temperature,
            tools=talk.tools,
            prompt_cache="conversation",
            sample_index=sample,
        )
    except ReplyError as error:
        talk.written.append(f"[{type(error).__name__}]")
        if isinstance(error, MalformedReplyError):
            exchange.session.note_format_error()
        # With nothing said and nothing called the attempt is over.
        is_whole = not isinstance(error, TruncatedReplyError)
        exchange.take(ReadMessage("", (), 0), is_whole=is_whole)
        return
    talk.written += [json.dumps(block, ensure_ascii=False) for block in reply.content]
    told = exchange.take(_read(reply), is_whole=True)
    talk.written += [json.dumps(item, ensure_ascii=False) for item in told]
    ids = [call.call_id for call in reply.requested_calls]
    blocks: list[JsonObject | str] = [
        tool_result(ids[at], text, is_error=text.startswith('{"error"'))
        if item["role"] == "tool"
        else text
        for at, item in enumerate(told)
        for text in [str(item["content"])]
    ]
    talk.sent += [reply.as_message(), user_message(*blocks)]


def _read(reply: Reply) -> ReadMessage:
    calls = tuple(ReadCall(call.tool, call.arguments) for call in reply.requested_calls)
    return ReadMessage(reply.text.strip(), calls, 0)


def _begun(task: RlTask) -> _Talk:
    first = task.prompt[0] if task.prompt else {}
    own = str(first["content"]) if first.get("role") == "system" else ""
    rules = files("envfactory_assets.stages.trajectories") / "prompts" / _PROMPT
    functions = [cast("JsonObject", tool["function"]) for tool in task.tools]
    return _Talk(
        system=f"{own}\n\n{rules.read_text(encoding='utf-8')}",
        tools=[
            {
                "name": function["name"],
                "description": function["description"],
                "input_schema": function["parameters"],
            }
            for function in functions
        ],
        sent=as_sent(task.prompt),
    )


def _blocks(message: Mapping[str, JsonValue]) -> list[JsonObject]:
    text = str(message.get("content") or "")
    if message["role"] == "tool":
        is_error = text.startswith('{"error"')
        return [tool_result(str(message["tool_call_id"]), text, is_error=is_error)]
    blocks: list[JsonObject] = [{"type": "text", "text": text}] if text else []
    for call in cast("list[JsonObject]", message.get("tool_calls") or []):
        function = cast("JsonObject", call["function"])
        arguments = json.loads(str(function["arguments"]))
        blocks.append(
            {"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments}
        )
    return blocks


def _length(task: RlTask) -> int:
    shown = json.dumps([list(task.prompt), list(task.tools)], ensure_ascii=False)
    return len(shown) // _CHARACTERS_PER_TOKEN
