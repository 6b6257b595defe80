"""95 % intervals: of shares by Wilson's formula, of means over turns by resampling tasks."""

import math
from collections.abc import Sequence

import numpy as np

Interval = tuple[float, float]

_Z = 1.959963984540054
_RESAMPLES = 1000


def wilson(hits: int, count: int) -> Interval:
    """Return the interval of a share; from 0 to 1 where nothing was counted."""
    if not count:
        return 0.0, 1.0
    share, square = hits / count, _Z * _Z
    middle = (share + square / (2 * count)) / (1 + square / count)
    spread = share * (1 - share) / count + square / (4 * count * count)
    half = _Z * math.sqrt(spread) / (1 + square / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_over_turns(sums: Sequence[float], turns: Sequence[int], seed: int) -> Interval:
    """Return the interval of a mean over turns, tasks drawn as a whole: their turns are alike.

    Args:
        sums: What each task adds up to.
        turns: How many turns each task has.
        seed: Seed of the resampling.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = rng.integers(0, len(sums), size=(_RESAMPLES, len(sums)))
    means = np.asarray(sums)[drawn].sum(1) / np.asarray(turns)[drawn].sum(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
