"""The teacher as a language model plays it: rollouts through a Messages endpoint, with tools."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import SimulatedUser
from envfactory_assets.stages.trajectories.teacher import begin_task, request_of
from envfactory_resources.clients.language_model.errors import ReplyError, RequestRejectedError
from envfactory_resources.clients.language_model.language_model import LanguageModel
from envfactory_resources.clients.language_model.reply import Reply, tool_result, user_message
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import EnvironmentFaultError
from sandboxes.core.tool import Tool

STEP_LIMIT = "teacher_never_stops"
EMPTY_REPLY = "teacher_says_nothing"
UNUSABLE_REPLY = "teacher_reply_unusable"
ENVIRONMENT_FAULT = "environment_fault"
CONVERSATION_REJECTED = "endpoint_rejects_the_conversation"

_PROMPT = Path(__file__).parent / "prompts" / "teacher.txt"
_ROLE = "teacher"
_POLICY = "rollout_"


@dataclass(slots=True)
class _Rollout:
    """A rollout while it runs: the conversation, and the same as the endpoint is sent it."""

    conversation: Conversation
    system: str
    tools: list[JsonObject]
    sample_index: int
    sent: list[JsonObject]


class ModelTeacher:
    """Attempts a task K times by asking a model, each time in a session of its own.

    The rollouts of a task ask for different replies to the same words, so that they differ even
    where the endpoint takes no temperature. A rollout whose reply is of no use, that says nothing,
    that never stops or that becomes what the endpoint does not take ends there and says so in its
    conversation's `fault`; a refused call is the teacher's to mend.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._model = model
        self.made_by = f"{_ROLE}:{model.model}"
        self.max_concurrency = model.max_concurrency

    def policies(self, task_id: str, settings: TrajectorySettings) -> list[str]:
        """Return the names of the K rollouts."""
        del task_id
        return [f"{_POLICY}{number}" for number in range(settings.candidates)]

    def attempt(
        self,
        queries: Sequence[RefinedQuery],
        policy: str,
        catalog: Catalog,
        user: SimulatedUser,
        settings: TrajectorySettings,
    ) -> Conversation:
        """Roll the model out on a task and return the conversation.

        Raises:
            RequestError: If the model cannot be reached.
        """
        conversation = begin_task(queries, catalog, user)
        system = str(conversation.messages[0]["content"])
        rollout = _Rollout(
            conversation=conversation,
            system=f"{system}\n\n{_PROMPT.read_text(encoding='utf-8')}",
            tools=[_offered(tool) for tool in conversation.session.agent_tools],
            sample_index=int(policy.removeprefix(_POLICY)),
            sent=[],
        )
        for query in queries:
            conversation.hear(*request_of(query, settings))
            rollout.sent.append(user_message(str(conversation.messages[-1]["content"])))
            self._finish_turn(rollout, settings)
            if conversation.fault:
                break
        return conversation

    def _finish_turn(self, rollout: _Rollout, settings: TrajectorySettings) -> None:
        for _ in range(settings.max_steps):
            try:
                reply = self._ask(rollout, settings)
            except ReplyError as error:
                rollout.conversation.fault = f"{UNUSABLE_REPLY}:{type(error).__name__}"
                return
            except RequestRejectedError:
                if len(rollout.sent) == 1:
                    raise
                # Only what came of the conversation so far, its length say, can be at fault.
                rollout.conversation.fault = CONVERSATION_REJECTED
                return
            if _take(reply, rollout, settings) or rollout.conversation.fault:
                return
        rollout.conversation.fault = STEP_LIMIT

    def _ask(self, rollout: _Rollout, settings: TrajectorySettings) -> Reply:
        return self._model.complete(
            _ROLE,
            rollout.system,
            rollout.sent,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            tools=rollout.tools,
            prompt_cache="conversation",
            sample_index=rollout.sample_index,
        )


def _take(reply: Reply, rollout: _Rollout, settings: TrajectorySettings) -> bool:
    """Carry out what a reply asks for, and return whether the turn is over.

    Parallel calls are made, and recorded, one after the other.
    """
    conversation = rollout.conversation
    rollout.sent.append(reply.as_message())
    text = reply.text.strip()
    if reply.requested_calls:
        results: list[JsonObject] = []
        for number, call in enumerate(reply.requested_calls):
            try:
                record = conversation.call(call.tool, call.arguments, "" if number else text)
            except EnvironmentFaultError:
                conversation.fault = f"{ENVIRONMENT_FAULT}:{call.tool}"
                return True
            results.append(tool_result(call.call_id, record.reply(), is_error=not record.ok))
        rollout.sent.append(user_message(*results))
        return False
    if not text:
        conversation.fault = EMPTY_REPLY
        return True
    if settings.mode == "non_conversational" and not conversation.actions:
        conversation.tell(text)
        return True
    answer = conversation.ask(text)
    if answer is None:
        return True
    rollout.sent.append(user_message(answer))
    return False


def _offered(tool: Tool) -> JsonObject:
    return {
        "name": tool.wire_name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
