"""Near-duplicates: requests that are the same problem, or too near to one of another split.

Within a split a row goes only if it is the same problem: the same calls with the same arguments on
the same scenario, asked in nearly the same words. The same words with other values, or over another
scenario, have another answer, and are worth rolling out again.

Across splits the words alone decide: a policy that has seen a request in training is not tested by
nearly the same one, whatever the scenario holds. There a test row stays and the training row goes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.datasets import Split
from envfactory_assets.stages.datasets.shingles import SignatureIndex, jaccard, shingles

_WINS: tuple[Split, ...] = ("test_environments", "test_chains", "validation", "train")


@dataclass(frozen=True, slots=True)
class Asked:
    """A task as near-duplicates are looked for.

    Attributes:
        task_id: The task.
        split: Its split.
        text: What the user asks, all turns.
        problem: Hash of the scenario and the calls: equal for the same problem.
    """

    task_id: str
    split: Split
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A task that goes, and the one that stays in its place."""

    of_task: str
    similarity: float
    is_across: bool


def near_duplicates(tasks: Sequence[Asked], within: float, across: float) -> dict[str, Duplicate]:
    """Return the tasks that go, by id.

    Args:
        tasks: In any order; of two alike the one of the split that is tested on stays, then the
            first by id.
        within: How alike requests of one split for the same problem are to be.
        across: How alike requests of different splits are to be.
    """
    found: dict[str, Duplicate] = {}
    kept: list[Asked] = []
    known: list[frozenset[int]] = []
    problems: dict[tuple[str, str], list[int]] = {}
    index = SignatureIndex()
    for task in sorted(tasks, key=lambda task: (_WINS.index(task.split), task.task_id)):
        own = shingles(task.text)
        same = problems.setdefault((task.split, task.problem), [])
        duplicate = _first_alike(own, same, kept, known, within, is_across=False)
        if duplicate is None:
            near = [place for place in index.near(own, across) if kept[place].split != task.split]
            duplicate = _first_alike(own, near, kept, known, across, is_across=True)
        if duplicate is not None:
            found[task.task_id] = duplicate
            continue
        same.append(len(kept))
        index.add(own)
        kept.append(task)
        known.append(own)
    return found


def _first_alike(
    own: frozenset[int],
    places: Sequence[int],
    kept: Sequence[Asked],
    known: Sequence[frozenset[int]],
    threshold: float,
    *,
    is_across: bool,
) -> Duplicate | None:
    for place in places:
        similarity = jaccard(own, known[place])
        if similarity >= threshold:
            return Duplicate(kept[place].task_id, similarity, is_across)
    return None
