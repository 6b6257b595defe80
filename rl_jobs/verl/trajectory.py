"""One trajectory of a verl rollout: a task's session from its row to what the reward reads.

Knows nothing of verl. A call runs on a thread of its own, since a rollout worker lives in an event
loop: one that hangs is left behind, and the trajectory ends in a fault, which is not a reward of 0.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, JsonValue

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.settings import RewardSettings
from rl_jobs.config import SessionLimits, discover_environments
from rl_jobs.errors import RolloutFaultError, RowsError
from rl_jobs.exchange import Exchange, ReadMessage
from rl_jobs.task_session import Place
from rl_jobs.verl.attempt_text import attempt_to_text
from sandboxes.core.catalog import Catalog, Origin
from sandboxes.core.errors import SandboxError

ATTEMPT = "envfactory_attempt"
REWARD = "envfactory_reward"
_Result = TypeVar("_Result")


class LoopSettings(BaseModel):
    """What the agent loop is told, as JSON text in its configuration file.

    Attributes:
        limits: How much one attempt may do.
        reward: The weights of the reward.
        environment_roots: Folder trees of generated or imported environments, and which they are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    limits: SessionLimits = SessionLimits()
    reward: RewardSettings = RewardSettings()
    environment_roots: tuple[tuple[Path, Origin], ...] = ()

    def place(self) -> Place:
        """Return where attempts run; the environments are found once a process."""
        return Place(_catalog(self.environment_roots), self.limits, self.reward)


@dataclass
class Trajectory:
    """One attempt at a task, as verl's agent loop goes through it.

    Attributes:
        task: The task of the row.
        exchange: The attempt.
        reward: The weights of the reward.
    """

    task: RlTask
    exchange: Exchange
    reward: RewardSettings

    @classmethod
    def open(cls, task: RlTask, place: Place) -> Self:
        """Start a session of a task.

        Raises:
            RolloutFaultError: If the task does not fit its environments as they are now.
        """
        try:
            return cls(task, Exchange(place.open(task)), place.reward)
        except SandboxError as error:
            raise RolloutFaultError(f"Task {task.row_id!r}: {error}") from error

    async def take(self, message: ReadMessage, *, is_whole: bool) -> list[JsonObject]:
        """Act on the policy's next message and return what it is told; nothing ends the attempt.

        Raises:
            RolloutFaultError: If something broke on our side, or hung.
        """
        session = self.exchange.session
        seconds = session.limits.call_timeout_seconds * max(1, len(message.calls))
        try:
            replies = await bounded(lambda: self.exchange.take(message, is_whole=is_whole), seconds)
        except TimeoutError:
            called = ", ".join(call.tool for call in message.calls) or "the user's answer"
            session.note_fault(f"{called} ran longer than {seconds} s.")
        except SandboxError as error:
            session.note_fault(str(error))
        else:
            self.refuse_fault()
            return replies
        self.refuse_fault()
        return []

    def refuse_fault(self) -> None:
        """End a trajectory in which something broke.

        Raises:
            RolloutFaultError: If something did.
        """
        fault = self.exchange.session.fault
        if fault is not None:
            raise RolloutFaultError(f"Task {self.task.row_id!r}: {fault}")

    def finish(self) -> dict[str, str]:
        """End the session and return what the reward function needs, as fields of text."""
        attempt = self.exchange.session.end()
        return {ATTEMPT: attempt_to_text(attempt), REWARD: self.reward.model_dump_json()}


def refuse_unusable(tasks: Sequence[RlTask], place: Place) -> None:
    """Open every task once: verl would pass over those that cannot be, and train on the rest.

    Raises:
        RowsError: If one does not fit its environments as they are now.
    """
    refused: dict[str, str] = {}
    for task in tasks:
        try:
            Trajectory.open(task, place).exchange.session.end()
        except RolloutFaultError as error:
            refused[task.row_id] = str(error)
    if refused:
        first = next(iter(refused.values()))
        raise RowsError(
            f"{len(refused)} of {len(tasks)} tasks do not fit their environments as they are now. "
            f"Make the data set again. The first of them: {first}"
        )


def task_of_row(extra_info: Mapping[str, object], ground_truth: str) -> RlTask:
    """Return the task that a row of a data file holds (see `exports.verl_row`)."""
    held = cast("Mapping[str, object]", extra_info["tools_kwargs"])
    row_id = str(extra_info["task_id"])
    task_id, _, turn = row_id.rpartition("/")
    environment_ids = tuple(str(item) for item in cast("list[str]", held["environment_ids"]))
    return RlTask.model_validate_json(
        json.dumps(
            {
                "row_id": row_id,
                "task_id": task_id or row_id,
                "domain": environment_ids[0].split(".")[0],
                "environment_ids": environment_ids,
                "split": str(extra_info["split"]),
                "turn": int(turn) if turn.isdigit() else 0,
                "prompt": _value(held["history"]),
                "tools": _value(held["functions"]),
                "scenario": _value(held["scenario"]),
                "reference": _value(ground_truth),
                "disclosures": _value(held["disclosures"]),
                "user_actions": _value(held["user_actions"]),
                "difficulty": "",
                "made_by": "verl row",
            }
        )
    )


async def bounded(work: Callable[[], _Result], seconds: float) -> _Result:
    """Run blocking work on a thread and return its result.

    Raises:
        TimeoutError: If it takes longer; the thread is left to itself.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[_Result] = loop.create_future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # Reported to who waits, whatever it is.
            _tell(loop, answer, partial(answer.set_exception, error))
        else:
            _tell(loop, answer, partial(answer.set_result, result))

    threading.Thread(target=run, daemon=True, name="envfactory call").start()
    return await asyncio.wait_for(answer, seconds)


def _tell(
    loop: asyncio.AbstractEventLoop, answer: asyncio.Future[_Result], say: Callable[[], None]
) -> None:
    # Whoever waited may have given up, and its loop may be closed.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(lambda: None if answer.done() else say())


@lru_cache(maxsize=4)
def _catalog(roots: tuple[tuple[Path, Origin], ...]) -> Catalog:
    return discover_environments(roots)


def _value(text: object) -> JsonValue:
    return cast("JsonValue", json.loads(str(text)))
