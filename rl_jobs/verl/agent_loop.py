# pyright: basic, reportMissingImports=false
# verl stands in an environment of its own, and its types are partly unknown.
"""The agent loop that verl runs, one object a trajectory, which holds one live session.

verl generates and keeps the tokens; what a message does is decided by `trajectory`. A model with a
chat template of its own keeps it, and its calls are read by verl's parser; the tiny policy speaks
through its compact dialect, as under TRL. A fault raises: verl then leaves the trajectory out of
its group and trains on the others.
"""

from pathlib import Path
from typing import Any, cast

from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, DictConfigWrap
from verl.experimental.agent_loop.tool_agent_loop import AgentData, AgentState, ToolAgentLoop

from envfactory_assets.records.record import JsonObject
from rl_jobs.config import TinyModel
from rl_jobs.errors import RolloutFaultError
from rl_jobs.exchange import ReadMessage
from rl_jobs.trl.dialect import Thread, with_objects
from rl_jobs.trl.policy import TINY_FILE
from rl_jobs.trl.tiny_policy import compact_dialect
from rl_jobs.verl.hermes import read_calls
from rl_jobs.verl.log_lines import fault_line, say
from rl_jobs.verl.trajectory import LoopSettings, Trajectory, task_of_row


class EnvfactoryAgentLoop(ToolAgentLoop):
    """verl's tool loop over a live session of the row's task."""

    def __init__(
        self, trainer_config: DictConfigWrap, *, settings: str = "{}", **kwargs: object
    ) -> None:
        """Know where attempts run.

        Args:
            trainer_config: verl's.
            settings: `LoopSettings` as JSON text.
            kwargs: verl's.
        """
        tiny_file = Path(trainer_config.config.actor_rollout_ref.model.path) / TINY_FILE
        self._tiny = tiny_file.read_text(encoding="utf-8") if tiny_file.is_file() else None
        if self._tiny is not None:
            # By the model's type verl would look for Qwen's special tokens.
            kwargs["hf_model_type"] = None
        super().__init__(trainer_config, **kwargs)
        self._place = LoopSettings.model_validate_json(settings).place()
        self.max_user_turns = self.max_assistant_turns = None

    async def run(self, sampling_params: dict[str, Any], **kwargs: object) -> AgentLoopOutput:
        """Attempt the row's task."""
        reward_model = cast("dict[str, str]", kwargs["reward_model"])
        extra_info = cast("dict[str, object]", kwargs["extra_info"])
        task = task_of_row(extra_info, reward_model["ground_truth"])
        try:
            self._trajectory = Trajectory.open(task, self._place)
            output = await self._attempt(sampling_params, kwargs)
        except RolloutFaultError as error:
            say(fault_line(str(error)))
            raise
        output.extra_fields.update(self._trajectory.finish())
        return output

    async def _attempt(
        self, sampling_params: dict[str, Any], row: dict[str, object]
    ) -> AgentLoopOutput:
        task = self._trajectory.task
        self._thread = self._compact_thread() if self._tiny is not None else None
        self.tools, self.tool_schemas = {}, list(task.tools)
        messages = [with_objects(message) for message in task.prompt]
        return await super().run(sampling_params, **{**row, "raw_prompt": messages})

    async def _handle_pending_state(
        self, agent_data: AgentData, sampling_params: dict[str, Any]
    ) -> AgentState:
        if self._thread is None:
            return await super()._handle_pending_state(agent_data, sampling_params)
        agent_data.prompt_ids = list(self._thread.prompt)
        return AgentState.GENERATING

    async def _handle_generating_state(
        self,
        agent_data: AgentData,
        sampling_params: dict[str, Any],
        ignore_termination: bool = False,
    ) -> AgentState:
        context = list(agent_data.prompt_ids)
        room = self.response_length - len(agent_data.response_mask)
        limit = min(self._place.limits.max_message_tokens, room)
        await super()._handle_generating_state(
            agent_data, {**sampling_params, "max_tokens": limit}, ignore_termination
        )
        ids = list(agent_data.response_ids)
        is_whole = bool(ids) and ids[-1] == self.tokenizer.eos_token_id
        message = await self._read(ids, context)
        replies = await self._trajectory.take(message, is_whole=is_whole)
        if not replies or not await self._append(agent_data, replies):
            return AgentState.TERMINATED
        agent_data.user_turns += 1
        return AgentState.GENERATING

    async def _read(self, ids: list[int], context: list[int]) -> ReadMessage:
        if self._thread is not None:
            return self._thread.read(ids, context)
        content, calls = await self.tool_parser.extract_tool_calls(ids, [])
        written = self.tokenizer.decode(ids, skip_special_tokens=False)
        spoken = self.tokenizer.decode(
            self.tokenizer.encode(content, add_special_tokens=False), skip_special_tokens=True
        )
        return read_calls(spoken, written, [(call.name, call.arguments) for call in calls])

    async def _append(self, agent_data: AgentData, replies: list[JsonObject]) -> bool:
        """Append what the policy is told, unless no room would be left to answer it."""
        if self._thread is not None:
            added = self._thread.reply_ids(replies)
            whole, mask = agent_data.prompt_ids + added, agent_data.response_mask + [0] * len(added)
            logprobs = [*agent_data.response_logprobs, *([0.0] * len(added))]
        else:
            before = list(agent_data.messages)
            agent_data.messages.extend(dict(reply) for reply in replies)
            merged, mask, logprobs = await self.ct_merge_context_msg(
                before,
                agent_data.messages,
                agent_data.prompt_ids,
                agent_data.response_mask,
                agent_data.response_logprobs or None,
                tools=self.tool_schemas,
            )
            whole = merged.token_ids
        limits = self._place.limits
        is_full = len(whole) + limits.max_message_tokens > limits.max_total_tokens
        if is_full or len(mask) >= self.response_length:
            self._trajectory.exchange.cut()
            return False
        agent_data.prompt_ids, agent_data.response_mask = whole, mask
        if agent_data.response_logprobs:
            agent_data.response_logprobs = logprobs
        return True

    def _compact_thread(self) -> Thread:
        shape = TinyModel.model_validate_json(self._tiny or "")
        dialect = compact_dialect(self.tokenizer, shape)
        return dialect.begin(self._trajectory.task.prompt, self._trajectory.task.tools)
