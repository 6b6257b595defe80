"""The known limits of the data, as figures that anybody can count again."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import cast

from envfactory_assets.stages.data_card.sources import CardSources, ReferenceColumns
from envfactory_assets.stages.datasets.shingles import words

Figure = tuple[str, str | int | float]


def limits(sources: CardSources) -> list[Figure]:
    """Return what a user of the data should know before training on it."""
    held = {task.task_id: task for task in sources.tasks if task.kept}
    references = [row for row in sources.references if row.task_id in held]
    if not references:
        return [("tasks in the datasets", 0)]
    requests = [row for row in sources.queries if row.task_id in held]
    same = [row.refined_text == row.draft_text for row in requests]
    return [
        ("share of requests left exactly as drafted", fmean(same)),
        *_variety([row.refined_text for row in requests]),
        *_overlap(sources, references),
        ("share of tasks without a writing call", fmean(map(_only_reads, references))),
        ("share of turns in which the user keeps a value back", _kept_back(sources, set(held))),
        ("share of reference arguments proven not to matter", _masked(references)),
        ("most that doing nothing earns", max(row.do_nothing_reward for row in references)),
        ("tasks that every attempt solves", sum(row.solved_share >= 1 for row in references)),
        ("mean share of the attempts that solve a task", fmean(_solved(references))),
        *_commonest(references),
    ]


def _variety(requests: Sequence[str]) -> list[Figure]:
    said = [words(text) for text in requests]
    triples = [tuple(own[at : at + 3]) for own in said for at in range(len(own) - 2)]
    openings = Counter(" ".join(own[:2]) for own in said)
    [(opening, count)] = openings.most_common(1)
    return [
        ("different words in all requests", len({word for own in said for word in own})),
        ("share of word triples that occur once", _once(triples)),
        (f"share of requests that begin with '{opening}'", count / len(said)),
    ]


def _overlap(sources: CardSources, references: Sequence[ReferenceColumns]) -> list[Figure]:
    split_of = {task.task_id: task.split for task in sources.tasks}
    trained = [row for row in references if split_of[row.task_id] == "train"]
    tested = [row for row in references if split_of[row.task_id].startswith("test")]
    if not tested:
        return []
    firsts = {row.queries[0].casefold() for row in trained}
    tools = {str(call["tool"]) for row in trained for call in row.reference_calls}
    same = [row.queries[0].casefold() in firsts for row in tested]
    known = [all(call["tool"] in tools for call in row.reference_calls) for row in tested]
    return [
        ("share of test tasks whose first request is word for word in train", fmean(same)),
        ("share of test tasks all of whose tools are used in train", fmean(known)),
    ]


def _kept_back(sources: CardSources, held: set[str]) -> float:
    return fmean([bool(row.disclosures) for row in sources.queries if row.task_id in held])


def _only_reads(row: ReferenceColumns) -> bool:
    return all(call["effect"] == "read" for call in row.reference_calls)


def _masked(references: Sequence[ReferenceColumns]) -> float:
    calls = [call for row in references for call in row.reference_calls]
    masked = sum(len(cast("list[object]", call["masked"])) for call in calls)
    whole = sum(len(cast("dict[str, object]", call["arguments"])) for call in calls)
    return masked / max(whole, 1)


def _solved(references: Sequence[ReferenceColumns]) -> list[float]:
    return [row.solved_share for row in references]


def _commonest(references: Sequence[ReferenceColumns]) -> list[Figure]:
    tools = Counter(str(call["tool"]) for row in references for call in row.reference_calls)
    if not tools:
        return []
    [(tool, count)] = tools.most_common(1)
    return [(f"share of the calls that are `{tool}`, the commonest", count / tools.total())]


def _once(items: Sequence[tuple[str, ...]]) -> float:
    counts = Counter(items)
    return sum(count == 1 for count in counts.values()) / max(len(items), 1)
