"""verl's reward function: the one reward, of the attempt that the agent loop recorded."""

import json
from collections.abc import Mapping
from functools import lru_cache

from envfactory_assets.stages.reward.models import Reference, Reward
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.reward.settings import RewardSettings
from envfactory_assets.stages.trajectories.reference import reference_from_json
from rl_jobs.errors import RolloutFaultError
from rl_jobs.verl.attempt_text import attempt_from_text
from rl_jobs.verl.log_lines import reward_line, say
from rl_jobs.verl.trajectory import ATTEMPT, REWARD

SOLVED = 0.999


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, object],
    **_: object,
) -> dict[str, float]:
    """Return the reward as `score`, with its components, and tell the driver of it.

    Args:
        data_source: Where the row comes from; not used.
        solution_str: What the policy wrote; not used, since its calls were recorded.
        ground_truth: The reference as JSON text.
        extra_info: The row's, with the fields that the agent loop added.

    Raises:
        RolloutFaultError: If the rollout recorded no attempt.
    """
    del data_source, solution_str
    if ATTEMPT not in extra_info:
        raise RolloutFaultError(
            f"The rollout has no {ATTEMPT!r}; its rows must name the agent loop that records it "
            "(agent_name) and the loop's file must be given (agent_loop_config_path)."
        )
    attempt = attempt_from_text(str(extra_info[ATTEMPT]))
    settings = RewardSettings.model_validate_json(str(extra_info[REWARD]))
    reward = evaluate(_reference(ground_truth), attempt, settings)
    calls = sum(call.actor == "agent" for call in attempt.calls)
    score = {
        **components(reward),
        "solved": float(reward.total >= SOLVED),
        "calls": float(calls),
        "format_errors": float(attempt.format_errors),
    }
    say(reward_line(str(extra_info.get("task_id", "")), score))
    return score


def components(reward: Reward) -> dict[str, float]:
    """Return a reward by component, the whole as `score`."""
    return {
        "score": reward.total,
        "trajectory": reward.trajectory,
        "state": reward.state,
        "length": reward.length,
        "format": reward.format,
    }


@lru_cache(maxsize=256)
def _reference(text: str) -> Reference:
    return reference_from_json(json.loads(text))
