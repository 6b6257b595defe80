"""What verl's processes say in their log, and reading it.

verl prints the metrics of a train step in one line. Rewards by component and faults of rollouts it
does not know of; the reward function and the agent loop say them in lines of their own.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import cast

_FAULT = "envfactory-fault:"
_REWARD = "envfactory-reward:"
_STEP = re.compile(r"(?<!\w)step:(\d+) - (\S.*)")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|nan|inf)")
_WRAPPED = re.compile(r"(?:np|numpy)\.\w+\((.*)\)")
_TASK = "task"
_MIXED_SPREAD = 1e-6


@dataclass(frozen=True, slots=True)
class RolloutReward:
    """What one rollout earned: its task, and the reward by component."""

    task: str
    components: Mapping[str, float]


def say(line: str) -> None:
    """Write a line into the log of this process."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def fault_line(fault: str) -> str:
    """Return the line that tells of a fault."""
    return f"{_FAULT} {' '.join(fault.split())}"


def reward_line(task: str, components: Mapping[str, float]) -> str:
    """Return the line that tells of a rollout's reward."""
    rounded = {name: round(value, 6) for name, value in components.items()}
    return f"{_REWARD} {json.dumps({_TASK: task, **rounded})}"


def fault_of(line: str) -> str | None:
    """Return the fault that a line tells of, if it does."""
    _, mark, fault = line.partition(_FAULT)
    return fault.strip() if mark else None


def reward_of(line: str) -> RolloutReward | None:
    """Return the reward that a line tells of, if it does."""
    _, mark, text = line.partition(_REWARD)
    if not mark:
        return None
    try:
        told = cast("dict[str, float]", json.loads(text[: text.rindex("}") + 1]))
    except ValueError:
        # Two processes can write into one line.
        return None
    return RolloutReward(str(told.pop(_TASK, "")), told)


def step_of(line: str) -> tuple[int, dict[str, float]] | None:
    """Return the train step and the metrics that a line tells of, if it does."""
    found = _STEP.search(line)
    if found is None:
        return None
    metrics: dict[str, float] = {}
    for part in found[2].split(" - "):
        name, _, text = part.strip().rpartition(":")
        wrapped = _WRAPPED.fullmatch(text)
        number = wrapped[1] if wrapped else text
        if name and _NUMBER.fullmatch(number):
            metrics[name] = float(number)
    return (int(found[1]), metrics) if metrics else None


def means_of(rewards: Sequence[RolloutReward]) -> dict[str, float]:
    """Return the mean of every component, how many rollouts, and the share of mixed groups."""
    if not rewards:
        return {}
    groups: dict[str, list[float]] = {}
    for reward in rewards:
        groups.setdefault(reward.task, []).append(reward.components["score"])
    names = rewards[0].components
    means = {name: fmean(reward.components[name] for reward in rewards) for name in names}
    mixed = fmean(max(group) - min(group) > _MIXED_SPREAD for group in groups.values())
    reward = means.pop("score")
    return {"reward": reward, **means, "mixed_groups": mixed, "rollouts": float(len(rewards))}
