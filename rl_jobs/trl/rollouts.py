"""Attempts of a policy at tasks, each in a live session of its own, many at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from envfactory_assets.records.datasets import RlTask
from rl_jobs.config import SessionLimits
from rl_jobs.exchange import Exchange
from rl_jobs.task_session import Outcome, Place
from rl_jobs.trl.dialect import Dialect, Thread

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(slots=True)
class Rollout:
    """One attempt.

    Attributes:
        prompt: The tokens that the attempt began with.
        completion: All tokens after it, the policy's and the environments'.
        is_policy: Which of them the policy wrote.
        outcome: How it ended.
        messages: How many messages the policy wrote.
        is_cut: Whether a limit on tokens or messages ended it.
    """

    prompt: list[int]
    completion: list[int]
    is_policy: list[int]
    outcome: Outcome
    messages: int
    is_cut: bool


@dataclass(slots=True)
class _Attempt:
    exchange: Exchange
    thread: Thread
    completion: list[int] = field(default_factory=list[int])
    is_policy: list[int] = field(default_factory=list[int])

    @property
    def context(self) -> list[int]:
        return self.thread.prompt + self.completion

    def append(self, ids: Sequence[int], written: int) -> None:
        self.completion.extend(ids)
        self.is_policy.extend([written] * len(ids))

    def finish(self) -> Rollout:
        return Rollout(
            self.thread.prompt,
            self.completion,
            self.is_policy,
            self.exchange.session.close(),
            self.exchange.messages,
            self.exchange.is_cut or not self.exchange.is_done,
        )


def roll_out(
    model: "PreTrainedModel",
    dialect: Dialect,
    tasks: Iterable[RlTask],
    place: Place,
    temperature: float,
) -> list[Rollout]:
    """Attempt tasks, one attempt an entry, all of them side by side.

    Args:
        model: The weights.
        dialect: How the model reads and writes.
        tasks: What to attempt; a task that comes twice is attempted twice.
        place: Where the attempts run.
        temperature: Of sampling; 0 takes the likeliest token.
    """
    attempts = [
        _Attempt(Exchange(place.open(task)), dialect.begin(task.prompt, task.tools))
        for task in tasks
    ]
    for _ in range(place.limits.max_messages):
        active = [attempt for attempt in attempts if not attempt.exchange.is_done]
        if not active:
            break
        written = _generate(model, dialect, active, place.limits, temperature)
        for attempt, ids in zip(active, written, strict=True):
            _advance(attempt, ids, dialect, place.limits)
    return [attempt.finish() for attempt in attempts]


def _advance(attempt: _Attempt, ids: list[int], dialect: Dialect, limits: SessionLimits) -> None:
    """Take the policy's next message, run its calls, and append what comes back."""
    message = attempt.thread.read(ids, attempt.context)
    attempt.append(ids, 1)
    is_whole = bool(ids) and ids[-1] == dialect.end_id
    replies = attempt.exchange.take(message, is_whole=is_whole)
    if not replies:
        return
    reply_ids = attempt.thread.reply_ids(replies)
    used = len(attempt.context) + len(reply_ids)
    if used + limits.max_message_tokens > limits.max_total_tokens:
        attempt.exchange.cut()
        return
    attempt.append(reply_ids, 0)


def _generate(
    model: "PreTrainedModel",
    dialect: Dialect,
    attempts: Sequence[_Attempt],
    limits: SessionLimits,
    temperature: float,
) -> list[list[int]]:
    """Return the next message of every attempt, its end token included when it has one."""
    import torch

    contexts = [attempt.context for attempt in attempts]
    width = max(map(len, contexts))
    pad = dialect.tokenizer.pad_token_id
    ids = torch.tensor([[pad] * (width - len(row)) + row for row in contexts])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in contexts])
    sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
    was_training = model.training
    model.eval()
    with torch.no_grad():
        output = model.generate(  # pyright: ignore[reportCallIssue]
            input_ids=ids.to(model.device),
            attention_mask=mask.to(model.device),
            max_new_tokens=limits.max_message_tokens,
            eos_token_id=dialect.end_id,
            pad_token_id=pad,
            **(sampling if temperature > 0 else {"do_sample": False}),
        )
    model.train(was_training)
    return [_until(row, dialect.end_id) for row in output[:, width:].tolist()]


def _until(row: list[int], end: int) -> list[int]:
    return row[: row.index(end) + 1] if end in row else row
