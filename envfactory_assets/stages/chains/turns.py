"""Splitting a chain into turns."""

import random

MAX_TURN_SIZE = 5


def split_turns(tool_count: int, rng: random.Random) -> tuple[int, ...]:
    """Draw turn sizes that add up to a number of tools.

    A turn closes after its i-th tool with probability i/5: one to five tools, 2.5 on average.
    """
    sizes: list[int] = []
    size = 0
    for _ in range(tool_count):
        size += 1
        if rng.random() * MAX_TURN_SIZE < size:
            sizes.append(size)
            size = 0
    if size:
        sizes.append(size)
    return tuple(sizes)
