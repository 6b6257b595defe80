"""The state component: is every environment of the session as the reference leaves it?

States are compared up to renaming of the ids that the session created and without the clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from envfactory_assets.stages.reward.changes import (
    ABSENT,
    Absent,
    Changes,
    Leaf,
    Path,
    States,
    states_equal,
)
from envfactory_assets.stages.reward.created_ids import created_ids
from envfactory_assets.stages.reward.grading import Grade, grade_changes
from envfactory_assets.stages.reward.models import Reference
from envfactory_assets.stages.reward.outcome import Names, Outcome, rename_changes
from envfactory_assets.stages.reward.renaming import candidate_names
from envfactory_assets.stages.reward.values import ids_in

MAX_NAMINGS = 150
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class StateComparison:
    """How the end states of an attempt compare with the reference's.

    Attributes:
        is_equal: Whether they are the same.
        is_untouched: Whether the attempt changed nothing at all.
        is_damaged: Whether it changed something that the reference left alone.
        share: Share of the reference's changes that the attempt made too; a created record counts
            as one change and only as a whole.
        created: The ids that the attempt created, each with its prefix.
        names: The reference's id for each of them.
        differences: Plain sentences, one a difference, a bounded number of them.
    """

    is_equal: bool
    is_untouched: bool
    is_damaged: bool
    share: float
    created: Names
    names: Names
    differences: tuple[str, ...]


def compare_states(reference: Reference, end_states: States, limit: int) -> StateComparison:
    """Compare the end states of an attempt with the reference's.

    Args:
        reference: The reference.
        end_states: The attempt's states, of the same environments.
        limit: How many differences to spell out.
    """
    if states_equal(reference.end_states, end_states):
        created = created_ids(reference.initial_states, end_states)
        return _equal(reference, created, {key: key for key in created})
    outcome = Outcome.between(reference.initial_states, end_states)
    best = _best_naming(reference.outcome, outcome)
    if best.grade.is_equal:
        return _equal(reference, outcome.created, best.names)
    return StateComparison(
        is_equal=False,
        is_untouched=not outcome.changes,
        is_damaged=bool(best.grade.damaged),
        share=best.grade.share,
        created=outcome.created,
        names=best.names,
        differences=tuple(islice(_sentences(reference.outcome.changes, best), limit)),
    )


@dataclass(frozen=True, slots=True)
class _Naming:
    """Names for the attempt's ids, its changes under them, and what these are worth."""

    names: Names
    changes: Changes
    grade: Grade
    gave_up: bool = False


def _best_naming(expected: Outcome, given: Outcome) -> _Naming:
    """Return the naming with the best grade among those that the bound allows to try."""
    candidates = candidate_names(expected, given)
    best = _try(next(candidates), expected, given)
    if best.grade.is_equal or _is_hopeless(best):
        return best
    for names in islice(candidates, MAX_NAMINGS):
        naming = _try(names, expected, given)
        if _rank(naming.grade) > _rank(best.grade):
            best = naming
        if naming.grade.is_equal:
            return naming
    return replace(best, gave_up=next(candidates, None) is not None)


def _try(names: Names, expected: Outcome, given: Outcome) -> _Naming:
    changes = rename_changes(given.changes, names)
    return _Naming(names, changes, grade_changes(expected, changes))


def _rank(grade: Grade) -> tuple[bool, float]:
    return not grade.damaged, grade.share


def _is_hopeless(naming: _Naming) -> bool:
    """Tell whether no other naming can undo the damage, as some touches no created id."""
    renamed = set(naming.names.values())
    return any(
        not any(any(ids_in(part, renamed)) for part in path if isinstance(part, str))
        for path in naming.grade.damaged
    )


def _equal(reference: Reference, created: Names, names: Names) -> StateComparison:
    return StateComparison(
        is_equal=True,
        is_untouched=not reference.outcome.changes,
        is_damaged=False,
        share=1.0,
        created=created,
        names=names,
        differences=(),
    )


def _sentences(expected: Changes, best: _Naming) -> Iterator[str]:
    if best.gave_up:
        yield (
            f"The created ids are too much alike to try every naming; of {MAX_NAMINGS} the best "
            "counts."
        )
    for path in best.grade.damaged:
        yield f"{_spell(path)} is {_show(best.changes[path])}; the reference leaves it as it was."
    for path in best.grade.wrong:
        right = _show(expected.get(path, ABSENT))
        if path in best.changes:
            yield f"{_spell(path)} is {_show(best.changes[path])}; the reference makes it {right}."
        else:
            yield f"{_spell(path)} is as it was; the reference makes it {right}."


def _spell(path: Path) -> str:
    return "/".join(str(part) for part in path)


def _show(leaf: Leaf) -> str:
    if isinstance(leaf, Absent):
        return "absent"
    text = repr(leaf)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
