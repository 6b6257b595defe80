"""The chance that one of k attempts solves a task, estimated without bias from n of them.

The estimator is that of Chen et al., "Evaluating Large Language Models Trained on Code" (2021):
1 - C(n - c, k) / C(n, k) for c solved attempts of n.
"""

from math import comb


def pass_at_k(attempts: int, solved: int, k: int) -> float | None:
    """Return the estimate for one task, or None where there are fewer than k attempts.

    Args:
        attempts: How many there were.
        solved: How many of them solve the task.
        k: How many tries are granted.
    """
    if attempts < k:
        return None
    return 1.0 - comb(attempts - solved, k) / comb(attempts, k)
