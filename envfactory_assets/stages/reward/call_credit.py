"""How much one attempted call earns of one reference call."""

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory_assets.stages.reward.models import AttemptedCall, ReferenceCall
from envfactory_assets.stages.reward.values import looks_like_id, values_agree

Arguments = Mapping[str, JsonValue]


def bound_arguments(call: AttemptedCall) -> Arguments:
    """Return the arguments to compare: as validated, and any that validation dropped."""
    if call.bound is None:
        return call.arguments
    if call.arguments.keys() <= call.bound.keys():
        return call.bound
    return {**call.arguments, **call.bound}


def wrong_arguments(reference: ReferenceCall, given: Arguments) -> list[str]:
    """Return the names of unmasked arguments that differ, lack, or were invented."""
    expected, masked = reference.arguments, reference.masked
    wrong = [
        name
        for name, value in expected.items()
        if name not in masked and not (name in given and values_agree(value, given[name]))
    ]
    wrong.extend(name for name in given if name not in expected and name not in masked)
    return wrong


def partial_credit(
    reference: ReferenceCall, call: AttemptedCall, wrong: list[str], cap: float
) -> float:
    """Return what a call of the right tool earns in spite of wrong arguments.

    Arguments that the attempt left at a right default count neither for nor against it. A writing
    call that names the wrong thing earns nothing.
    """
    if reference.effect == "write" and any(_is_identifier(name, reference) for name in wrong):
        return 0.0
    right = sum(
        1
        for name in call.arguments
        if name in reference.arguments and name not in wrong and name not in reference.masked
    )
    return cap * right / (right + len(wrong))


def _is_identifier(name: str, reference: ReferenceCall) -> bool:
    if name in reference.identifiers or name == "id" or name.endswith(("_id", "_ids")):
        return True
    value = reference.arguments.get(name)
    return any(map(looks_like_id, value)) if isinstance(value, list) else looks_like_id(value)
