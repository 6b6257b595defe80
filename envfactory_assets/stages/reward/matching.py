"""The best assignment of attempted calls to reference calls under the reference's partial order.

Exact by branch and bound for the sizes that occur. Where many calls are alike the search first
asks for the best assignment without the order, which is the answer if it keeps the order, and gives
up at a bound with the best found so far.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NODES_BEFORE_UNORDERED = 300
_MAX_NODES = 20_000
_ROUNDING = 1e-12

Credits = Sequence[Mapping[int, float]]
Pairs = dict[int, int]


def best_matching(credits_: Credits, ancestors: Sequence[frozenset[int]]) -> Pairs:
    """Return the assignment with the most credit, as attempted index by reference index.

    Each call is used at most once, and no two pairs are in an order that the reference forbids.

    Args:
        credits_: For each reference call the credit of each attempted call that may stand for it.
        ancestors: For each reference call the calls that must come before it.
    """
    search = _Search(credits_, ancestors, max_nodes=_NODES_BEFORE_UNORDERED)
    search.run()
    if search.nodes <= search.max_nodes:
        return search.best
    unordered = _best_unordered(credits_)
    if _keeps_order(unordered, ancestors):
        return unordered
    search = _Search(credits_, ancestors, max_nodes=_MAX_NODES)
    search.run()
    return search.best


@dataclass(slots=True)
class _Search:
    """One branch and bound run over the reference calls in order."""

    credits_: Credits
    ancestors: Sequence[frozenset[int]]
    max_nodes: int
    nodes: int = 0
    best: Pairs = field(default_factory=dict[int, int])
    best_credit: float = 0.0
    pairs: Pairs = field(default_factory=dict[int, int])
    used: set[int] = field(default_factory=set[int])
    choices: list[list[tuple[float, int]]] = field(default_factory=list[list[tuple[float, int]]])
    bounds: list[float] = field(default_factory=list[float])

    def run(self) -> None:
        """Fill `best`."""
        self.choices = [
            sorted(((credit, index) for index, credit in row.items()), key=_best_first)
            for row in self.credits_
        ]
        self.bounds = [0.0]
        for row in reversed(self.choices):
            self.bounds.append(self.bounds[-1] + (row[0][0] if row else 0.0))
        self.bounds.reverse()
        self._visit(0, 0.0)

    def _visit(self, index: int, credit: float) -> None:
        self.nodes += 1
        if credit > self.best_credit + _ROUNDING:
            self.best_credit, self.best = credit, dict(self.pairs)
        if index == len(self.choices) or self.nodes > self.max_nodes:
            return
        for gain, attempted in self.choices[index]:
            if credit + gain + self.bounds[index + 1] <= self.best_credit + _ROUNDING:
                break
            if attempted in self.used or self._is_too_early(index, attempted):
                continue
            self.pairs[index] = attempted
            self.used.add(attempted)
            self._visit(index + 1, credit + gain)
            del self.pairs[index]
            self.used.discard(attempted)
        if credit + self.bounds[index + 1] > self.best_credit + _ROUNDING:
            self._visit(index + 1, credit)

    def _is_too_early(self, index: int, attempted: int) -> bool:
        return any(self.pairs.get(earlier, -1) > attempted for earlier in self.ancestors[index])


def _best_first(choice: tuple[float, int]) -> tuple[float, int]:
    return -choice[0], choice[1]


class _Solver(Protocol):
    """The one function of scipy that is used; scipy ships no types."""

    def __call__(
        self, table: "NDArray[np.float64]", *, maximize: bool
    ) -> "tuple[NDArray[np.int64], NDArray[np.int64]]": ...


def _best_unordered(credits_: Credits) -> Pairs:
    import numpy as np
    from scipy import optimize

    columns = sorted({attempted for row in credits_ for attempted in row})
    table = np.array([[row.get(attempted, 0.0) for attempted in columns] for row in credits_])
    solve = cast("_Solver", optimize.linear_sum_assignment)  # pyright: ignore[reportUnknownMemberType]
    rows, chosen = solve(table, maximize=True)
    return {
        row: columns[column]
        for row, column in zip(rows.tolist(), chosen.tolist(), strict=True)
        if table[row, column] > 0.0
    }


def _keeps_order(pairs: Pairs, ancestors: Sequence[frozenset[int]]) -> bool:
    return all(
        pairs.get(earlier, -1) < attempted
        for index, attempted in pairs.items()
        for earlier in ancestors[index]
    )
