"""The vector arrays every embedding model returns."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Shape (texts, dimension), each row of length one, rounded."""

_DECIMALS = 6


def unit_vectors(raw: npt.ArrayLike) -> Vectors:
    """Scale every row to length one and round it, so that equal texts give equal bytes.

    Args:
        raw: Rows of numbers, one row a text. A row of zeros stays zeros.
    """
    rows = np.asarray(raw, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    # Adding zero turns -0.0 into 0.0: equal numbers then have equal bytes.
    return (np.round(scaled, _DECIMALS) + 0.0).astype(np.float32)
