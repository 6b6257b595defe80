"""What a session did to its states: what changed, and where the ids that it created appear."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from envfactory_assets.stages.reward.changes import (
    Absent,
    Changes,
    Leaf,
    Path,
    States,
    changes_between,
)
from envfactory_assets.stages.reward.created_ids import created_ids
from envfactory_assets.stages.reward.values import fold, ids_in, rename, rename_text

Names = Mapping[str, str]


@dataclass(frozen=True)
class Outcome:
    """The changes of a session and the ids it created.

    Attributes:
        changes: The changed leaves of all environments.
        created: The created ids in order, each with its prefix.
    """

    changes: Changes
    created: Names

    @classmethod
    def between(cls, initial: States, end: States) -> "Outcome":
        """Return the outcome that leads from one set of states to another."""
        return cls(changes_between(initial, end), created_ids(initial, end))

    @cached_property
    def shapes(self) -> Mapping[str, list[str]]:
        """For each created id that appears, where and in what, with other created ids blank."""
        return self._describe(self.created)

    @cached_property
    def signatures(self) -> Names:
        """The shapes of each id as one text: ids of one signature may stand for one another."""
        return {key: f"{self.created[key]} {shapes}" for key, shapes in self.shapes.items()}

    @cached_property
    def fine_signatures(self) -> Names:
        """The same with the signatures of the other ids in place of blanks."""
        return {key: f"{shapes}" for key, shapes in self._describe(self.signatures).items()}

    @cached_property
    def _places(self) -> Mapping[str, list[tuple[Path, Leaf]]]:
        places: dict[str, list[tuple[Path, Leaf]]] = defaultdict(list)
        in_part: dict[str | int, list[str]] = {}
        for path, leaf in self.changes.items():
            mentioned: list[str] = []
            for part in path:
                if part not in in_part:
                    text = part if isinstance(part, str) else ""
                    in_part[part] = list(ids_in(text, self.created))
                mentioned += in_part[part]
            if not isinstance(leaf, Absent):
                mentioned += ids_in(leaf, self.created)
            for key in dict.fromkeys(mentioned):
                places[key].append((path, leaf))
        return places

    def _describe(self, blanks: Names) -> dict[str, list[str]]:
        names = {key: f"<{blank}>" for key, blank in blanks.items()}
        found: dict[str, list[str]] = {}
        for key, places in self._places.items():
            own_names = {**names, key: "<this>"}
            parts = _PathParts(own_names)
            found[key] = sorted(
                repr((tuple(map(parts.__getitem__, path)), _plain(leaf, own_names)))
                for path, leaf in places
            )
        return found


def rename_changes(changes: Changes, names: Names) -> Changes:
    """Return changes with ids renamed in their paths and values."""
    if all(old == new for old, new in names.items()):
        return changes
    parts = _PathParts(names)
    return {
        tuple(map(parts.__getitem__, path)): leaf
        if isinstance(leaf, Absent)
        else rename(leaf, names)
        for path, leaf in changes.items()
    }


class _PathParts(dict[str | int, str | int]):
    """Renamed parts of paths, each worked out once."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, part: str | int) -> str | int:
        renamed = rename_text(part, self._names) if isinstance(part, str) else part
        self[part] = renamed
        return renamed


def _plain(leaf: Leaf, names: Names) -> Leaf:
    if isinstance(leaf, Absent):
        return leaf
    renamed = rename(leaf, names)
    return fold(renamed) if isinstance(renamed, str) else renamed
