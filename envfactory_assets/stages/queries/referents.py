"""How a person points at an entity that a tool listed: by label, extremum or position."""

from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.queries import Referent
from envfactory_assets.stages.queries.wording import words_of
from sandboxes.core.json_paths import leaves_at, parent_of, value_at
from sandboxes.core.parameters import JsonObject
from sandboxes.core.tool import Tool

_EXTREMES: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"price", "cost", "total", "fee"}), "cheapest", "most expensive"),
    (frozenset({"rating", "stars", "score"}), "lowest rated", "best rated"),
    (frozenset({"amount", "balance"}), "smallest", "largest"),
    (frozenset({"size", "bytes"}), "smallest", "largest"),
)
_TIMES = ("earliest", "latest")
_NAME_LEAVES = frozenset({"name", "title", "subject", "label"})
_LONGEST_NAME = 32


def referents_of(tool: Tool, result: JsonObject, source_path: str, pattern: str) -> list[Referent]:
    """Return the ways to point at the entity that a result names at a path, plainest first.

    Args:
        tool: The tool that gave the result.
        result: Its result.
        source_path: Where the entity's id stands: `hotels[1].hotel_id`.
        pattern: The same for every item: `hotels[].hotel_id`.
    """
    noun = words_of(pattern)
    found = _labels(tool, result, source_path, pattern, noun)
    siblings = leaves_at(result, pattern)
    if "[]" not in pattern or len(siblings) == 1:
        return [*found, Referent(kind="only", text=f"that {noun}")]
    found += _extrema(tool, result, source_path, pattern, noun)
    position = [where for where, _ in siblings].index(source_path)
    if position == 0:
        found.append(Referent(kind="position", text=f"the first {noun} on the list"))
    elif position == len(siblings) - 1:
        found.append(Referent(kind="position", text=f"the last {noun} on the list"))
    return found


def _labels(
    tool: Tool, result: JsonObject, source_path: str, pattern: str, noun: str
) -> list[Referent]:
    above = parent_of(pattern)
    for leaf in tool.outputs:
        if leaf.is_label and parent_of(leaf.path) == above and not leaf.path.endswith("[]"):
            own = value_at(result, f"{parent_of(source_path)}.{leaf.name}".lstrip("."))
            same = [value for _, value in leaves_at(result, leaf.path) if value == own]
            if isinstance(own, str) and own and len(same) == 1:
                return [Referent(kind="label", text=_label_text(own, leaf.name, noun))]
    return []


def _label_text(label: str, name: str, noun: str) -> str:
    """Return a noun phrase: a name stands alone, other labels stand with what they label."""
    is_own_name = name in _NAME_LEAVES or name.startswith(f"{noun}_")
    is_short = len(label) <= _LONGEST_NAME and not any(mark in label for mark in ".?!,:'")
    if not is_short or (is_own_name and not label.istitle() and " " in label):
        return f"the {noun} '{label}'"
    if is_own_name and label[:1].isupper():
        return label
    return f"the {label.replace('_', ' ')} {noun}"


def _extrema(
    tool: Tool, result: JsonObject, source_path: str, pattern: str, noun: str
) -> list[Referent]:
    above = parent_of(pattern)
    found: list[Referent] = []
    for leaf in tool.outputs:
        if parent_of(leaf.path) != above or leaf.path == pattern or leaf.path.endswith("[]"):
            continue
        own = value_at(result, f"{parent_of(source_path)}.{leaf.name}".lstrip("."))
        values = [value for _, value in leaves_at(result, leaf.path)]
        adjective = _extreme_adjective(leaf.name, leaf.type, own, values)
        if adjective:
            found.append(Referent(kind="extremum", text=f"the {adjective} {noun}"))
    return found[:2]


def _extreme_adjective(name: str, kind: str, own: JsonValue, values: list[JsonValue]) -> str | None:
    low, high = _adjectives(name, kind)
    is_ordered = kind in ("number", "integer", "date", "date-time")
    if not low or not is_ordered or own is None or values.count(own) != 1:
        return None
    ordered = sorted(cast("list[float]", values))
    if own == ordered[0]:
        return low
    return high if own == ordered[-1] else None


def _adjectives(name: str, kind: str) -> tuple[str, str]:
    if kind in ("date", "date-time"):
        return _TIMES
    for words, low, high in _EXTREMES:
        if words & set(name.split("_")):
            return low, high
    return "", ""
