"""The reward of an attempt against a reference: the one place where the components meet."""

from collections.abc import Sequence

from envfactory_assets.stages.reward.errors import SessionMismatchError
from envfactory_assets.stages.reward.explanation import explain
from envfactory_assets.stages.reward.length import format_penalty, length_penalty
from envfactory_assets.stages.reward.models import Attempt, MatchedCall, Reference, Reward
from envfactory_assets.stages.reward.settings import RewardSettings
from envfactory_assets.stages.reward.state_equality import StateComparison, compare_states
from envfactory_assets.stages.reward.trajectory import match_calls

DEFAULT_SETTINGS = RewardSettings()
_ROUNDING = 1e-9


def evaluate(
    reference: Reference, attempt: Attempt, settings: RewardSettings = DEFAULT_SETTINGS
) -> Reward:
    """Return the reward of an attempt, its components and what they rest on.

    Args:
        reference: The trajectory kept as ground truth.
        attempt: What was done in a session that started from the same states.
        settings: The form and the weights.

    Raises:
        SessionMismatchError: If the attempt's environments are not those of the reference.
    """
    _check_environments(reference, attempt)
    states = compare_states(reference, attempt.end_states, settings.explained_differences)
    matched = match_calls(reference, attempt.calls, states, settings)
    if reference.is_refusal:
        trajectory, state = _refusal(attempt, states, settings)
    else:
        trajectory = _trajectory(reference, matched, states, settings)
        state = _state(reference, states, trajectory, settings)
    used = {pair.attempted for pair in matched}
    redundant = tuple(
        index
        for index, call in enumerate(attempt.calls)
        if index not in used and call.actor == "agent"
    )
    length = length_penalty(attempt.calls, redundant, settings)
    format_ = format_penalty(attempt.format_errors, settings)
    total = settings.alpha * trajectory + (1.0 - settings.alpha) * state - length - format_
    return Reward(
        total=min(1.0, max(0.0, total)),
        trajectory=trajectory,
        state=state,
        length=length,
        format=format_,
        matched=matched,
        unmatched=_unmatched(reference, matched),
        redundant=redundant,
        is_damaged=states.is_damaged,
        explanation=explain(reference, attempt, matched, states, settings),
    )


def _check_environments(reference: Reference, attempt: Attempt) -> None:
    if attempt.end_states.keys() != reference.end_states.keys():
        raise SessionMismatchError(
            f"The attempt ends with {sorted(attempt.end_states)} and the reference with "
            f"{sorted(reference.end_states)}; run the attempt in a session of the same scenario."
        )


def _trajectory(
    reference: Reference,
    matched: Sequence[MatchedCall],
    states: StateComparison,
    settings: RewardSettings,
) -> float:
    own = [index for index, call in enumerate(reference.calls) if call.actor == "agent"]
    # Where the user does everything, getting the user to do it is all there is.
    counted = frozenset(own or range(len(reference.calls)))
    share = sum(pair.credit for pair in matched if pair.reference in counted) / len(counted)
    if settings.form == "strict":
        return float(share >= 1.0 - _ROUNDING and not states.is_damaged)
    return min(1.0, share) * (1.0 - settings.damage_discount if states.is_damaged else 1.0)


def _state(
    reference: Reference, states: StateComparison, trajectory: float, settings: RewardSettings
) -> float:
    if not reference.outcome.changes:
        return trajectory if states.is_untouched else 0.0
    if states.is_equal:
        return 1.0
    if settings.form == "strict" or states.is_damaged:
        return 0.0
    return settings.partial_state_cap * states.share


def _refusal(
    attempt: Attempt, states: StateComparison, settings: RewardSettings
) -> tuple[float, float]:
    """Score a task where writing nothing is right; a refused try at it is half wrong."""
    writes = [call for call in attempt.calls if call.effect == "write" and call.actor == "agent"]
    if not writes:
        return 1.0, float(states.is_untouched)
    harmless = settings.form == "partial" and states.is_untouched
    return 0.0, float(harmless and not any(call.ok for call in writes))


def _unmatched(reference: Reference, matched: Sequence[MatchedCall]) -> tuple[int, ...]:
    found = {pair.reference for pair in matched}
    return tuple(index for index in range(len(reference.calls)) if index not in found)
