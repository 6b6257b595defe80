"""Splits that hold whole environments out, and chains of the environments that are trained on."""

import hashlib
from collections.abc import Collection

from envfactory_assets.records.datasets import Split

_SHARE_OF_TEST_CHAINS = 15
_SHARE_OF_VALIDATION = 10


def split_of(
    task_tools: Collection[str], environment_ids: Collection[str], held_out: Collection[str]
) -> Split:
    """Return the split of a task; the same tools always fall into the same one.

    Args:
        task_tools: The tools of its reference, in order.
        environment_ids: The environments of its session.
        held_out: Environments that only `test_environments` may contain.
    """
    if set(environment_ids) & set(held_out):
        return "test_environments"
    digest = hashlib.sha256("|".join(task_tools).encode()).digest()
    percentile = int.from_bytes(digest[:4]) % 100
    if percentile < _SHARE_OF_TEST_CHAINS:
        return "test_chains"
    return "validation" if percentile < _SHARE_OF_TEST_CHAINS + _SHARE_OF_VALIDATION else "train"
