"""Doing many calls at once, but not too many."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


def map_bounded(
    function: Callable[[ItemT], ResultT], items: Iterable[ItemT], *, max_concurrency: int
) -> list[ResultT]:
    """Apply a function to every item in threads; results keep the order of the items.

    The first item that fails ends it: calls under way finish, those waiting never start. A
    function that should not stop the others returns its failure instead of raising it.

    Args:
        function: Must be safe to call from several threads.
        items: What to apply it to.
        max_concurrency: How many calls may be under way at once; with 1 they run here, in order.
    """
    if max_concurrency == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(max_workers=max_concurrency) as threads:
        return list(threads.map(function, items))
