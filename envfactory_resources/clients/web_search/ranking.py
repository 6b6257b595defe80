"""Ranking documents by the words they share with a query (Okapi BM25)."""

import math
import re
from collections import Counter
from collections.abc import Sequence

_SATURATION = 1.5
_LENGTH_WEIGHT = 0.75


def terms_of(text: str) -> list[str]:
    """Return the words of a text, lower case; names in snake case are taken apart."""
    return re.findall(r"[^\W_]+", text.lower())


def rank(query: str, documents: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of the documents that share a word with a query, best first.

    Args:
        query: Some words.
        documents: The words of each document.
    """
    counts = [Counter(words) for words in documents]
    mean_length = sum(map(len, documents)) / len(documents) if documents else 0.0
    wanted = sorted(set(terms_of(query)))
    rarity = {term: _rarity(sum(term in count for count in counts), len(counts)) for term in wanted}

    def weight(place: int) -> float:
        # A document of average length is not corrected.
        length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * len(documents[place]) / mean_length
        found = ((rarity[term], counts[place][term]) for term in wanted)
        return sum(
            worth * count * (_SATURATION + 1) / (count + _SATURATION * length)
            for worth, count in found
            if count
        )

    weights = {place: weight(place) for place in range(len(documents)) if documents[place]}
    found = [place for place, value in weights.items() if value > 0]
    return sorted(found, key=lambda place: (-round(weights[place], 9), place))


def _rarity(found_in: int, of: int) -> float:
    return math.log(1 + (of - found_in + 0.5) / (found_in + 0.5))
