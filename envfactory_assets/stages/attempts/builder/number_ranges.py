"""The numbers of a field: what is usual, and what a person could say."""

from envfactory_assets.stages.attempts.builder.blueprint import Column
from envfactory_assets.stages.attempts.builder.word_pools import number_range

_FEW = 5


def usual_range(column: Column) -> tuple[float, float, int]:
    """Return the smallest and largest number scenarios hold of a field, and its decimals."""
    low, high, decimals = number_range(column.name)
    least, most = column.proposed.minimum, column.proposed.maximum
    given = sorted(number for number in map(_as_number, column.proposed.examples) if number)
    if len(given) > 1 and given[0] < given[-1]:
        low, high = given[0], given[-1]
    inner = max(low, least if least is not None else low)
    outer = min(high, most if most is not None else high)
    if outer - inner >= 1:
        return inner, outer, decimals
    if least is not None and most is not None and most > least:
        return least, most, max(decimals, 2 if most - least < 1 else 0)
    if least is not None:
        return least, least + max(10, abs(least)), decimals
    top = most if most is not None else high
    return top - max(10, abs(top)), top, decimals


def spoken_numbers(column: Column) -> tuple[float, ...]:
    """Return numbers that a person could say for an argument: some usual ones, rounded."""
    low, high, decimals = usual_range(column)
    if column.type == "number" and high - low <= _FEW:
        steps = [round(low + part * (high - low), max(decimals, 1)) for part in (0.25, 0.5, 0.75)]
        return tuple(dict.fromkeys(steps))
    size = 5 if high - low > 10 * _FEW else 1
    whole = [round((low + part * (high - low)) / size) * size for part in (0.25, 0.5, 0.75)]
    return tuple(dict.fromkeys(min(max(number, round(low)), round(high)) for number in whole))


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
