"""Texts as sets of word triples, and an index that finds sets alike without comparing all pairs.

The index is MinHash with bands: sets that share a band of their signatures are candidates. Whoever
asks compares the candidates themselves, so the result is exact but for pairs no band finds, which
at a similarity of 0.6 are fewer than one in ten thousand.
"""

import hashlib
import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"[\w@.+-]*\w")
_LENGTH = 3
_BANDS = 48
_ROWS = 3
_SLACK = 0.15

_Signature = NDArray[np.uint64]


def words(text: str) -> list[str]:
    """Return the words of a text, numbers and addresses whole, in lower case."""
    return _WORD.findall(text.casefold())


def shingles(text: str) -> frozenset[int]:
    """Return the hashes of every three words in a row; of a shorter text, of all its words."""
    found = words(text)
    count = max(1, len(found) - _LENGTH + 1)
    return frozenset(_hash(" ".join(found[at : at + _LENGTH])) for at in range(count))


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of the shingles that two texts have in common."""
    common = len(one & other)
    return common / (len(one) + len(other) - common)


class SignatureIndex:
    """Finds which of the sets added so far are like another."""

    def __init__(self) -> None:
        """Begin empty."""
        rng = np.random.Generator(np.random.PCG64(0))
        self._salts = rng.integers(0, 2**63, size=_BANDS * _ROWS, dtype=np.uint64)
        self._signatures: _Signature = np.empty((1024, _BANDS * _ROWS), dtype=np.uint64)
        self._count = 0
        self._buckets: dict[tuple[int, bytes], list[int]] = {}

    def add(self, own: frozenset[int]) -> None:
        """Add a set; its place is how many were added before."""
        if self._count == len(self._signatures):
            self._signatures = np.concatenate([self._signatures, np.empty_like(self._signatures)])
        signature = self._signature(own)
        self._signatures[self._count] = signature
        for key in _bands(signature):
            self._buckets.setdefault(key, []).append(self._count)
        self._count += 1

    def near(self, own: frozenset[int], threshold: float) -> list[int]:
        """Return the places of the sets that may be as alike as a threshold, in order."""
        signature = self._signature(own)
        places = {place for key in _bands(signature) for place in self._buckets.get(key, ())}
        if not places:
            return []
        ordered = np.array(sorted(places))
        estimates = (self._signatures[ordered] == signature).mean(axis=1)
        return [int(place) for place in ordered[estimates >= threshold - _SLACK]]

    def _signature(self, own: frozenset[int]) -> _Signature:
        hashes = np.fromiter(own, dtype=np.uint64, count=len(own))
        return _mixed(hashes[:, None] ^ self._salts[None, :]).min(axis=0)


@lru_cache(maxsize=1 << 18)
def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _bands(signature: _Signature) -> list[tuple[int, bytes]]:
    return [
        (band, signature[band * _ROWS : (band + 1) * _ROWS].tobytes()) for band in range(_BANDS)
    ]


def _mixed(values: _Signature) -> _Signature:
    """Return a well-mixed function of 64-bit values (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
