"""Which id of the attempt stands for which id of the reference, going by the calls.

End states settle this when they agree. Where they do not, every one-to-one naming of the few ids
that the calls mention is a candidate: the trajectory takes the one that fits best, up to a bound.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from envfactory_assets.stages.reward.models import AttemptedCall, Reference, ReferenceCall
from envfactory_assets.stages.reward.renaming import stand_alone
from envfactory_assets.stages.reward.values import ids_in

MAX_NAMINGS = 200

Names = Mapping[str, str]


def candidate_names(
    reference: Reference, calls: Sequence[AttemptedCall], created: Names, by_state: Names
) -> Iterator[Names]:
    """Yield names for the created ids that the attempt's calls mention, the likeliest first.

    Args:
        reference: The reference.
        calls: The attempted calls.
        created: The ids that the attempt created, each with its prefix.
        by_state: The names that the end states suggest.
    """
    mentioned = _mentioned(calls, created) if created else []
    if not mentioned:
        yield {}
        return
    expected = reference.mentioned
    yield {
        key: by_state[key] if by_state.get(key) in expected else stand_alone(key)
        for key in mentioned
    }
    makers, own_makers = _makers(reference.calls), _makers(calls)
    options = [
        [
            new
            for new in expected
            if reference.outcome.created[new] == created[old]
            and (new not in makers or own_makers.get(old, makers[new]) == makers[new])
        ]
        for old in mentioned
    ]
    yield from islice(_namings(mentioned, options, frozenset()), MAX_NAMINGS)


def made_the_same(made: Sequence[str], attempted: Sequence[str], names: Names) -> bool:
    """Tell whether what an attempted call created may stand for what a reference call created.

    Args:
        made: The ids that the reference call created; none when that was not recorded.
        attempted: The ids that the attempted call created; none when that was not recorded.
        names: The reference's id for each created id that the attempt mentions.
    """
    if not made or not attempted:
        return True
    return all(
        (old in attempted) == (new in made) for old, new in names.items() if new != stand_alone(old)
    )


def _mentioned(calls: Sequence[AttemptedCall], created: Names) -> list[str]:
    return list(
        dict.fromkeys(
            found
            for call in calls
            if call.ok
            for value in (call.arguments if call.bound is None else call.bound).values()
            for found in ids_in(value, created)
        )
    )


def _makers(calls: Sequence[AttemptedCall] | Sequence[ReferenceCall]) -> dict[str, str]:
    return {key: call.tool for call in calls for key in call.produced}


def _namings(
    olds: Sequence[str], options: Sequence[Sequence[str]], taken: frozenset[str]
) -> Iterator[dict[str, str]]:
    """Yield every one-to-one naming, those that leave ids alone last."""
    if not olds:
        yield {}
        return
    for new in (*(new for new in options[0] if new not in taken), stand_alone(olds[0])):
        for rest in _namings(olds[1:], options[1:], taken | {new}):
            yield {olds[0]: new, **rest}
