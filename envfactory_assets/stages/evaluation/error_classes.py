"""What went wrong in an attempt that does not solve its task, in a closed set of classes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

from envfactory_assets.stages.reward.models import (
    Attempt,
    AttemptedCall,
    Reference,
    ReferenceCall,
    Reward,
)

SOLVED = 0.999


class ErrorClass(StrEnum):
    """One thing that can go wrong; an attempt may show several."""

    MISSING_CALL = "missing_call"
    WRONG_TOOL = "wrong_tool"
    WRONG_ARGUMENT = "wrong_argument"
    OUT_OF_ORDER = "out_of_order"
    REFUSED = "refused"
    REDUNDANT = "redundant"
    FORMAT = "format"
    STEP_LIMIT = "step_limit"
    USER_NOT_ASKED = "user_not_asked"
    DAMAGE = "damage"
    DONE_ALL_THE_SAME = "done_all_the_same"
    WRONG_STATE = "wrong_state"


def error_classes(
    reference: Reference, attempt: Attempt, reward: Reward, *, is_cut: bool
) -> tuple[ErrorClass, ...]:
    """Return what is wrong with an attempt, in the order of the classes; nothing if it is solved.

    Args:
        reference: What it was scored against.
        attempt: What was done.
        reward: What that earned.
        is_cut: Whether a limit on messages or tokens ended it.
    """
    if reward.total >= SOLVED:
        return ()
    found = {*_of_calls(reference, attempt, reward)}
    if reward.length > 0.0:
        found.add(ErrorClass.REDUNDANT)
    if attempt.format_errors:
        found.add(ErrorClass.FORMAT)
    if is_cut:
        found.add(ErrorClass.STEP_LIMIT)
    if reward.is_damaged and not reference.is_refusal:
        found.add(ErrorClass.DAMAGE)
    return tuple(item for item in ErrorClass if item in found) or (ErrorClass.WRONG_STATE,)


def _of_calls(reference: Reference, attempt: Attempt, reward: Reward) -> Iterator[ErrorClass]:
    if reference.is_refusal:
        if any(call.effect == "write" and call.actor == "agent" for call in attempt.calls):
            yield ErrorClass.DONE_ALL_THE_SAME
        return
    if any(pair.credit < 1.0 for pair in reward.matched):
        yield ErrorClass.WRONG_ARGUMENT
    left = [attempt.calls[index] for index in reward.redundant]
    # A call of a tool that the reference has no use for stands for one missing call.
    foreign = len(left) - sum(_counted(reference, left).values())
    for index in reward.unmatched:
        own = reference.calls[index]
        tried = [call for call in left if call.tool == own.tool]
        if tried:
            yield _fate(own, tried)
        elif own.actor == "user":
            yield ErrorClass.USER_NOT_ASKED
        elif foreign > 0:
            foreign -= 1
            yield ErrorClass.WRONG_TOOL
        else:
            yield ErrorClass.MISSING_CALL


def _counted(reference: Reference, calls: Sequence[AttemptedCall]) -> Counter[str]:
    known = {call.tool for call in reference.calls}
    return Counter(call.tool for call in calls if call.tool in known)


def _fate(own: ReferenceCall, tried: Sequence[AttemptedCall]) -> ErrorClass:
    if not any(call.ok for call in tried):
        return ErrorClass.REFUSED
    names = [name for name in own.arguments if name not in own.masked]
    for call in tried:
        bound = call.bound or {}
        if call.ok and all(bound.get(name) == own.arguments[name] for name in names):
            return ErrorClass.OUT_OF_ORDER
    return ErrorClass.WRONG_ARGUMENT
