"""The reward in plain sentences, for the asset page and for whoever reads one row."""

from collections.abc import Iterator, Sequence
from itertools import islice

from envfactory_assets.stages.reward.models import Attempt, MatchedCall, Reference
from envfactory_assets.stages.reward.settings import RewardSettings
from envfactory_assets.stages.reward.state_equality import StateComparison


def explain(
    reference: Reference,
    attempt: Attempt,
    matched: Sequence[MatchedCall],
    states: StateComparison,
    settings: RewardSettings,
) -> tuple[str, ...]:
    """Return what is wrong with an attempt, calls first; nothing for a perfect one."""
    limit = settings.explained_differences
    calls = islice(_about_calls(reference, attempt, matched), limit)
    return (*calls, *_about_states(reference, states), *states.differences)


def _about_calls(
    reference: Reference, attempt: Attempt, matched: Sequence[MatchedCall]
) -> Iterator[str]:
    if reference.is_refusal:
        yield from (
            f"Call {index} ({call.tool}) writes; nothing was to be written."
            for index, call in enumerate(attempt.calls)
            if call.effect == "write" and call.actor == "agent"
        )
        return
    pairs = {pair.reference: pair for pair in matched}
    used = {pair.attempted for pair in matched}
    for index, call in enumerate(reference.calls):
        pair = pairs.get(index)
        if pair is None:
            tried = [
                other.ok
                for number, other in enumerate(attempt.calls)
                if other.tool == call.tool and number not in used
            ]
            if call.actor == "user" and not tried:
                yield f"The user was not brought to do reference call {index} ({call.tool})."
                continue
            yield f"Reference call {index} ({call.tool}) {_fate(tried)}."
        elif pair.credit < 1.0:
            yield (
                f"Call {pair.attempted} stands for reference call {index} ({call.tool}) with wrong "
                f"arguments, for a credit of {pair.credit:.2f}."
            )


def _fate(tried: Sequence[bool]) -> str:
    if not tried:
        return "was not made"
    if not any(tried):
        return "was refused"
    return "was made out of order or with other arguments"


def _about_states(reference: Reference, states: StateComparison) -> Iterator[str]:
    if states.is_damaged:
        yield "The attempt changed something that the reference leaves as it was."
    elif states.is_untouched and reference.outcome.changes:
        yield "The attempt changed nothing."
