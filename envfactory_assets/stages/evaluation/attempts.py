"""Attempts at tasks as they are recorded, whoever made them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from envfactory_assets.records.datasets import RlTask, Split
from envfactory_assets.records.record import Record
from envfactory_assets.stages.evaluation.error_classes import ErrorClass, error_classes
from envfactory_assets.stages.reward.models import Attempt, Reference, Reward

ATTEMPTS_FILE = "attempts.jsonl"
REPORT_FILE = "evaluation.json"
Decoding = Literal["greedy", "sampled"]


class EvaluatedAttempt(Record):
    """One attempt of a policy at a task; a line of `attempts.jsonl`.

    Attributes:
        policy: What the report calls the policy.
        sample: Which attempt at this task it is.
        decoding: `greedy` took the likeliest token each time, `sampled` drew.
        reward: In [0, 1]; None after a fault.
        trajectory: That component.
        state: That component.
        length: The penalty for redundant calls.
        format: The penalty for malformed calls.
        error_classes: What is wrong with it; nothing if it is solved.
        explanation: The same in plain sentences.
        fault: What broke on our side; None when nothing did.
        calls: How many calls reached the session.
        format_errors: How many calls could not be read.
        is_cut: Whether a limit on messages or tokens ended it.
        completion: What was written and read, as text.
    """

    policy: str
    row_id: str
    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    split: Split
    difficulty: str
    sample: int
    decoding: Decoding
    reward: float | None
    trajectory: float | None
    state: float | None
    length: float | None
    format: float | None
    error_classes: tuple[ErrorClass, ...]
    explanation: tuple[str, ...]
    fault: str | None
    calls: int
    format_errors: int
    is_cut: bool
    completion: str


def evaluated_attempt(
    policy: str,
    task: RlTask,
    reference: Reference,
    attempt: Attempt,
    reward: Reward | None,
    *,
    fault: str | None,
    is_cut: bool,
    completion: str,
    sample: int,
    decoding: Decoding,
) -> EvaluatedAttempt:
    """Return the row of an attempt.

    Args:
        policy: What the report calls who made it.
        task: What was attempted.
        reference: What it was scored against.
        attempt: What was done.
        reward: What it earned; None after a fault.
        fault: What broke on our side.
        is_cut: Whether a limit ended it.
        completion: What was written and read.
        sample: Which attempt at the task it is.
        decoding: How the policy chose its words.
    """
    wrong = error_classes(reference, attempt, reward, is_cut=is_cut) if reward else ()
    return EvaluatedAttempt(
        policy=policy,
        row_id=task.row_id,
        task_id=task.task_id,
        domain=task.domain,
        environment_ids=task.environment_ids,
        split=task.split,
        difficulty=task.difficulty,
        sample=sample,
        decoding=decoding,
        reward=reward.total if reward else None,
        trajectory=reward.trajectory if reward else None,
        state=reward.state if reward else None,
        length=reward.length if reward else None,
        format=reward.format if reward else None,
        error_classes=wrong,
        explanation=reward.explanation if reward else (),
        fault=fault,
        calls=sum(call.actor == "agent" for call in attempt.calls),
        format_errors=attempt.format_errors,
        is_cut=is_cut,
        completion=completion,
    )


def write_attempts(attempts: Sequence[EvaluatedAttempt], folder: Path) -> Path:
    """Write attempts as JSON lines and return the path."""
    path = folder / ATTEMPTS_FILE
    path.write_text("".join(row.model_dump_json() + "\n" for row in attempts), encoding="utf-8")
    return path


def read_attempts(folder: Path) -> list[EvaluatedAttempt]:
    """Return the attempts that an evaluation wrote."""
    lines = (folder / ATTEMPTS_FILE).read_text(encoding="utf-8").splitlines()
    return [EvaluatedAttempt.model_validate_json(line) for line in lines]


def read_k(folder: Path) -> int:
    """Return the k of pass@k that an evaluation job was told."""
    report = json.loads((folder / REPORT_FILE).read_text(encoding="utf-8"))
    return int(report["config"]["k"])
