"""The penalties: redundant calls and malformed ones."""

from collections.abc import Collection, Sequence

from envfactory_assets.stages.reward.models import AttemptedCall
from envfactory_assets.stages.reward.settings import RewardSettings


def length_penalty(
    calls: Sequence[AttemptedCall], redundant: Collection[int], settings: RewardSettings
) -> float:
    """Return the cost of redundant calls: it grows with each beyond the free ones, up to a cap.

    A refused call that repeats an earlier refused one counts twice.

    Args:
        calls: All attempted calls.
        redundant: Indexes of those that stand for no reference call.
        settings: The costs.
    """
    excess = len(redundant) + _repeated_failures(calls) - settings.free_calls
    return min(settings.length_cap, settings.redundant_call_cost * max(0, excess))


def format_penalty(format_errors: int, settings: RewardSettings) -> float:
    """Return the cost of malformed calls, up to a cap."""
    return min(settings.format_cap, settings.format_error_cost * format_errors)


def _repeated_failures(calls: Sequence[AttemptedCall]) -> int:
    failed = [call for call in calls if not call.ok and call.actor == "agent"]
    if len(failed) < 2:
        return 0
    distinct = {(call.tool, repr(sorted(call.arguments.items()))) for call in failed}
    return len(failed) - len(distinct)
