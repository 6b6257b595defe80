"""How far the changes of an attempt are those of the reference, leaf by leaf."""

from collections.abc import Container
from dataclasses import dataclass

from envfactory_assets.stages.reward.changes import Absent, Changes, Leaf, Path
from envfactory_assets.stages.reward.outcome import Outcome
from envfactory_assets.stages.reward.values import values_agree


@dataclass(frozen=True, slots=True)
class Grade:
    """What an attempt made of the reference's changes.

    Attributes:
        wrong: Leaves that the reference changed and the attempt did not, or changed otherwise.
        damaged: Leaves that the attempt changed and the reference left alone.
        share: Share of the reference's changes that were made. A created record counts as one
            change, and only as a whole.
    """

    wrong: tuple[Path, ...]
    damaged: tuple[Path, ...]
    share: float

    @property
    def is_equal(self) -> bool:
        """Whether both changed the same."""
        return not self.wrong and not self.damaged


def grade_changes(expected: Outcome, given: Changes) -> Grade:
    """Compare the changes of an attempt, its ids already renamed, with the reference's."""
    records = expected.created
    missed: set[Path] = set()
    wrong: list[Path] = []
    for path, leaf in expected.changes.items():
        if path not in given or not _leaves_agree(leaf, given[path]):
            missed.add(_unit(path, records))
            wrong.append(path)
    extra = [path for path in given if path not in expected.changes]
    if not wrong and not extra:
        return Grade((), (), share=1.0)
    units = {_unit(path, records) for path in expected.changes}
    damaged: list[Path] = []
    for path in extra:
        unit = _unit(path, records)
        if unit in units and unit != path:
            missed.add(unit)
            wrong.append(path)
        else:
            damaged.append(path)
    share = 1.0 - len(missed) / len(units) if units else 0.0
    return Grade(tuple(wrong), tuple(damaged), share)


def _leaves_agree(expected: Leaf, given: Leaf) -> bool:
    """Tell whether two changed leaves agree, an absent one only with another."""
    if isinstance(expected, Absent) or isinstance(given, Absent):
        return expected is given
    return values_agree(expected, given)


def _unit(path: Path, records: Container[object]) -> Path:
    """Return what a changed leaf counts to: the created record it lies in, or itself."""
    for position, part in enumerate(path):
        if part in records:
            return path[: position + 1]
    return path
