"""An embedding without a model: hashed character n-grams, for tests and dry runs."""

import hashlib
from collections.abc import Sequence

import numpy as np

from envfactory_resources.clients.embedding.vectors import Vectors, unit_vectors

_GRAM_LENGTHS = (2, 3)


class HashingEmbedding:
    """Texts that share character pairs and triples are similar; meaning plays no part.

    The hash is stable, so vectors are equal in every process and on every machine.
    """

    def __init__(self, dimension: int = 256) -> None:
        """Fix the vector length.

        Args:
            dimension: Number of hash buckets; fewer buckets mean more chance similarity.
        """
        if dimension < 1:
            raise ValueError(f"dimension is {dimension}; give 1 or more, 256 is usual.")
        self._dimension = dimension

    @property
    def model_id(self) -> str:
        """The name that vectors and thresholds belong to."""
        return f"hashing-{self._dimension}"

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._dimension

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, in order."""
        rows = np.zeros((len(texts), self._dimension))
        for row, text in zip(rows, texts, strict=True):
            for gram in _grams(text):
                digest = hashlib.blake2b(gram.encode(), digest_size=8).digest()
                number = int.from_bytes(digest, "big")
                row[(number >> 1) % self._dimension] += 1.0 if number & 1 else -1.0
        return unit_vectors(rows)


def _grams(text: str) -> list[str]:
    padded = f" {' '.join(text.casefold().split())} "
    return [
        padded[start : start + length]
        for length in _GRAM_LENGTHS
        for start in range(len(padded) - length + 1)
    ]
