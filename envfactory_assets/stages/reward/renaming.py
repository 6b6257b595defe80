"""Which id of the attempt may stand for which id of the reference, going by what the states hold.

Ids are compared by their signature: the places and contents in which they appear, with all created
ids blanked out. Ids that share a signature are lined up by the signatures of the ids beside them;
those that are left are paired by how much they have in common. The other orders follow, so that
whoever tries the namings one by one finds the best early and can stop.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations

from envfactory_assets.stages.reward.outcome import Names, Outcome

_Group = tuple[list[str], list[str]]


def candidate_names(expected: Outcome, given: Outcome) -> Iterator[Names]:
    """Yield names for the attempt's created ids, the likeliest first.

    An id that stands for nothing gets a name that no reference holds.

    Args:
        expected: What the reference did.
        given: What the attempt did.
    """
    certain = {key: stand_alone(key) for key in given.created}
    doubtful: list[_Group] = []
    for olds, news in _groups(expected, given):
        if len(olds) == len(news) == 1:
            certain[olds[0]] = news[0]
        else:
            doubtful.append((olds, news))
    for names in _combine(doubtful):
        yield {**certain, **names}


def stand_alone(key: str) -> str:
    """Return the name of a created id that stands for none of the reference's."""
    return f"{key}*"


def _groups(expected: Outcome, given: Outcome) -> Iterator[_Group]:
    """Yield ids that may stand for one another, the likeliest partners at the same position."""
    all_news, all_olds = _by_value(expected.created), _by_value(given.created)
    if all(len(ids) == 1 for ids in (*all_news.values(), *all_olds.values())):
        yield from (
            (ids, all_news[prefix]) for prefix, ids in all_olds.items() if prefix in all_news
        )
        return
    paired: set[str] = set()
    taken: set[str] = set()
    for olds, news in _twins(expected, given):
        paired.update(olds)
        taken.update(news)
        yield olds, news
    for prefix, ids in all_olds.items():
        olds = [key for key in ids if key in given.shapes and key not in paired]
        news = [
            key for key in all_news.get(prefix, []) if key in expected.shapes and key not in taken
        ]
        if olds and news:
            yield _by_likeness(olds, news, expected, given)


def _twins(expected: Outcome, given: Outcome) -> Iterator[_Group]:
    """Yield the ids that share a signature."""
    all_news = _by_value(expected.signatures)
    for signature, olds in _by_value(given.signatures).items():
        news = all_news.get(signature, [])
        if len(olds) > 1 or len(news) > 1:
            olds.sort(key=given.fine_signatures.__getitem__)
            news.sort(key=expected.fine_signatures.__getitem__)
        count = min(len(olds), len(news))
        if count:
            yield olds[:count], news[:count]


def _by_likeness(olds: list[str], news: list[str], expected: Outcome, given: Outcome) -> _Group:
    """Order ids of differing signatures, those with the most shapes in common first."""
    if len(olds) == len(news) == 1:
        return olds, news
    wanted = {key: set(expected.shapes[key]) for key in news}
    common = {
        (old, new): sum(shape in wanted[new] for shape in given.shapes[old])
        for old in olds
        for new in news
    }
    pairs: dict[str, str] = {}
    for old, new in sorted(common, key=common.__getitem__, reverse=True):
        if old not in pairs and new not in pairs.values():
            pairs[old] = new
    rest_old = [key for key in olds if key not in pairs]
    rest_new = [key for key in news if key not in pairs.values()]
    return [*pairs, *rest_old], [*pairs.values(), *rest_new]


def _combine(groups: Sequence[_Group]) -> Iterator[dict[str, str]]:
    """Yield every combination of the pairings of all groups, one at a time."""
    if not groups:
        yield {}
        return
    for pairs in _pairings(*groups[0]):
        for others in _combine(groups[1:]):
            yield {**dict(pairs), **others}


def _pairings(olds: Sequence[str], news: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Yield every way to pair as many as possible, that of equal positions first."""
    if len(olds) <= len(news):
        for order in permutations(news, len(olds)):
            yield list(zip(olds, order, strict=True))
    else:
        for order in permutations(olds, len(news)):
            yield list(zip(order, news, strict=True))


def _by_value(ids: Names) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for key, value in ids.items():
        found[value].append(key)
    return found
