"""The trajectory component: which attempted calls stand for which reference calls."""

from collections.abc import Mapping, Sequence

from envfactory_assets.stages.reward.argument_ids import candidate_names, made_the_same
from envfactory_assets.stages.reward.call_credit import (
    Arguments,
    bound_arguments,
    partial_credit,
    wrong_arguments,
)
from envfactory_assets.stages.reward.matching import best_matching
from envfactory_assets.stages.reward.models import (
    AttemptedCall,
    MatchedCall,
    Reference,
    ReferenceCall,
)
from envfactory_assets.stages.reward.settings import RewardSettings
from envfactory_assets.stages.reward.state_equality import StateComparison
from envfactory_assets.stages.reward.values import rename

_ROUNDING = 1e-9

Names = Mapping[str, str]


def match_calls(
    reference: Reference,
    calls: Sequence[AttemptedCall],
    states: StateComparison,
    settings: RewardSettings,
) -> tuple[MatchedCall, ...]:
    """Return the best assignment of carried-out calls to reference calls.

    Created ids are compared up to renaming: of all namings the one that fits best counts.

    Args:
        reference: The reference.
        calls: All attempted calls; refused ones stand for nothing.
        states: The comparison of the end states; after damage a writing call earns its whole credit
            or none.
        settings: The form and the caps.
    """
    partial_writes = not states.is_damaged
    best: tuple[MatchedCall, ...] = ()
    best_credit = 0.0
    for names in candidate_names(reference, calls, states.created, states.names):
        credits_ = _credits(reference.calls, calls, names, partial_writes, settings)
        pairs = best_matching(credits_, reference.ancestors)
        found = tuple(
            MatchedCall(index, pairs[index], credits_[index][pairs[index]])
            for index in sorted(pairs)
        )
        credit = sum(pair.credit for pair in found)
        if credit > best_credit + _ROUNDING:
            best, best_credit = found, credit
        if credit >= len(reference.calls) - _ROUNDING:
            break
    return best


def _credits(
    expected: Sequence[ReferenceCall],
    calls: Sequence[AttemptedCall],
    names: Names,
    partial_writes: bool,
    settings: RewardSettings,
) -> list[dict[int, float]]:
    by_tool: dict[str, list[tuple[int, Arguments]]] = {}
    for index, call in enumerate(calls):
        if call.ok:
            given = bound_arguments(call)
            if names:
                given = {name: rename(value, names) for name, value in given.items()}
            by_tool.setdefault(call.tool, []).append((index, given))
    rows: list[dict[int, float]] = []
    for reference in expected:
        row: dict[int, float] = {}
        for index, given in by_tool.get(reference.tool, ()):
            credit = _credit(reference, calls[index], given, names, partial_writes, settings)
            if credit > 0.0:
                row[index] = credit
        rows.append(row)
    return rows


def _credit(
    reference: ReferenceCall,
    call: AttemptedCall,
    given: Arguments,
    names: Names,
    partial_writes: bool,
    settings: RewardSettings,
) -> float:
    if call.actor != reference.actor:
        return 0.0
    if names and not made_the_same(reference.produced, call.produced, names):
        return 0.0
    if given == reference.arguments:
        return 1.0
    wrong = wrong_arguments(reference, given)
    if not wrong:
        return 1.0
    if settings.form == "strict" or (reference.effect == "write" and not partial_writes):
        return 0.0
    return partial_credit(reference, call, wrong, settings.partial_call_cap)
