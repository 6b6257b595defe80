"""How a person points at an entity that a tool listed: by label, extremum or position."""

from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.queries import Referent
from envfactory_assets.stages.queries.wording import words_of
from sandboxes.core.json_paths import leaves_at, parent_of, value_at
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.core.tool import Tool

_EXTREMES: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"price", "cost", "total", "fee"}), "cheapest", "most expensive"),
    (frozenset({"rating", "stars", "score"}), "lowest rated", "best rated"),
    (frozenset({"amount", "balance"}), "smallest", "largest"),
    (frozenset({"size", "bytes"}), "smallest", "largest"),
)
_TIMES = ("earliest", "latest")
_NAME_LEAVES = frozenset({"name", "title", "subject", "label"})
_ADDRESS = "email"
_LONGEST_NAME = 32


def noun_of(tool: Tool, pattern: str) -> str:
    """Return what kind of thing a result leaf names: `hotel` for `hotels[].hotel_id`.

    An e-mail address stands for its person: it is called what its row is called, or by its own
    words where the row is of something else (`sender` for `messages[].sender_email`).
    """
    words = words_of(pattern)
    rest = words.replace(_ADDRESS, "").strip()
    if rest == words:
        return words
    return rest or _row_noun(tool, pattern)


def referents_of(tool: Tool, result: JsonObject, source_path: str, pattern: str) -> list[Referent]:
    """Return the ways to point at the entity that a result names at a path, plainest first.

    Args:
        tool: The tool that gave the result.
        result: Its result.
        source_path: Where the entity's id stands: `hotels[1].hotel_id`.
        pattern: The same for every item: `hotels[].hotel_id`.
    """
    noun, row_noun = noun_of(tool, pattern), _row_noun(tool, pattern)
    own_label = _label(tool, result, source_path, pattern)
    if own_label and own_label[0].startswith(f"{noun}_") and noun != row_noun:
        return [Referent(kind="label", text=_label_text(own_label, noun))]
    ways = _row_referents(tool, result, source_path, pattern, row_noun, own_label)
    if noun == row_noun:
        return ways
    return [Referent(kind=way.kind, text=f"the {noun} of {way.text}") for way in ways]


def _row_noun(tool: Tool, pattern: str) -> str:
    """Return what the object that holds a leaf is: what its first id names, or its list's name."""
    above = parent_of(pattern)
    for leaf in tool.outputs:
        if parent_of(leaf.path) == above and leaf.path.endswith("_id"):
            return words_of(leaf.path)
    container = words_of(above) if above else words_of(pattern)
    return container.removesuffix("s")


def _row_referents(
    tool: Tool,
    result: JsonObject,
    source_path: str,
    pattern: str,
    noun: str,
    label: tuple[str, str] | None,
) -> list[Referent]:
    found = [Referent(kind="label", text=_label_text(label, noun))] if label else []
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


def _label(
    tool: Tool, result: JsonObject, source_path: str, pattern: str
) -> tuple[str, str] | None:
    """Return the name and value of the label beside a leaf, when no other item has the same."""
    for leaf in _beside(tool, pattern):
        if leaf.is_label:
            own = value_at(result, f"{parent_of(source_path)}.{leaf.name}".lstrip("."))
            same = [value for _, value in leaves_at(result, leaf.path) if value == own]
            if isinstance(own, str) and own and len(same) == 1:
                return leaf.name, own
    return None


def _label_text(label: tuple[str, str], noun: str) -> str:
    """Return a noun phrase: a name stands alone, other labels stand with what they label."""
    leaf, text = label
    is_own_name = leaf in _NAME_LEAVES or leaf.startswith(f"{noun}_")
    is_short = len(text) <= _LONGEST_NAME and not any(mark in text for mark in ".?!,:'")
    is_name = text.istitle() or " " not in text
    if not is_short or not is_name:
        return f"the {noun} '{text}'"
    if is_own_name and text[:1].isupper():
        return text
    return f"the {text.removeprefix('The ').replace('_', ' ')} {noun}"


def _extrema(
    tool: Tool, result: JsonObject, source_path: str, pattern: str, noun: str
) -> list[Referent]:
    found: list[Referent] = []
    for leaf in _beside(tool, pattern):
        own = value_at(result, f"{parent_of(source_path)}.{leaf.name}".lstrip("."))
        values = [value for _, value in leaves_at(result, leaf.path)]
        adjective = _extreme_adjective(leaf.name, leaf.type, own, values)
        if adjective:
            found.append(Referent(kind="extremum", text=f"the {adjective} {noun}"))
    return found[:2]


def _beside(tool: Tool, pattern: str) -> list[Parameter]:
    above = parent_of(pattern)
    return [
        leaf
        for leaf in tool.outputs
        if parent_of(leaf.path) == above and leaf.path != pattern and not leaf.path.endswith("[]")
    ]


def _extreme_adjective(name: str, kind: str, own: JsonValue, values: list[JsonValue]) -> str | None:
    low, high = _adjectives(name, kind)
    is_ordered = kind in ("number", "integer", "date", "date-time")
    if not low or not is_ordered or own is None or values.count(own) != 1 or len(values) < 2:
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
