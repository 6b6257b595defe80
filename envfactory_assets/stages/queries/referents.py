"""How a person points at an entity that a tool listed: by label, extremum or position."""

import re
from collections.abc import Sequence
from typing import cast

from envfactory_assets.records.queries import Referent
from envfactory_assets.stages.queries.wording import words_of
from sandboxes.core.json_paths import leaves_at, parent_of, value_at
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.core.state_values import singular
from sandboxes.core.tool import Tool

_EXTREMES: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"price", "cost", "total", "fee"}), "cheapest {}", "most expensive {}"),
    (frozenset({"rating", "stars", "score"}), "lowest rated {}", "best rated {}"),
    (frozenset({"balance"}), "{} with the lowest balance", "{} with the highest balance"),
    (frozenset({"amount", "size", "bytes"}), "smallest {}", "largest {}"),
)
_TIMES = ("earliest {}", "latest {}")
_LIMITS = ("_until", "_by")
_ADDRESS = "email"
_LONGEST_NAME = 32
_NO_THING = re.compile(r".*\b(?:to|with|by|of|for|from|at|on|in)")
_DAY_OR_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?")


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

    There is none where words fail: for a leaf or a list whose name is no noun (`reply_to`).

    Args:
        tool: The tool that gave the result.
        result: Its result.
        source_path: Where the entity's id stands: `hotels[1].hotel_id`.
        pattern: The same for every item: `hotels[].hotel_id`.
    """
    noun, row_noun = noun_of(tool, pattern), _row_noun(tool, pattern)
    if _NO_THING.fullmatch(noun) or _NO_THING.fullmatch(words_of(parent_of(pattern))):
        return []
    if not row_noun:
        return [Referent(kind="only", text=f"that {noun}")]
    own_label = label_of(tool, result, source_path, pattern)
    if own_label and own_label[0].startswith(f"{noun}_") and noun != row_noun:
        return [Referent(kind="label", text=_label_text(own_label, noun))]
    ways = _row_referents(tool, result, source_path, pattern, row_noun, own_label)
    if noun == row_noun:
        return ways
    return [Referent(kind=way.kind, text=f"the {noun} of {way.text}") for way in ways]


def label_of(
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


def is_own_id(tool: Tool, pattern: str) -> bool:
    """Return whether a leaf names the very thing that its row is about."""
    return noun_of(tool, pattern) == _row_noun(tool, pattern)


def _row_noun(tool: Tool, pattern: str) -> str:
    """Return what the object that holds a leaf is; nothing for a result that is no one thing.

    It is what its first id names, or what its list is called; a result with an e-mail address and
    no id is a person.
    """
    above = parent_of(pattern)
    row = [leaf for leaf in tool.outputs if parent_of(leaf.path) == above]
    for leaf in row:
        if leaf.path.endswith("_id"):
            return words_of(leaf.path)
    if above:
        return singular(words_of(above))
    return "person" if any(leaf.name == _ADDRESS for leaf in row) else ""


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


def _label_text(label: tuple[str, str], noun: str) -> str:
    """Return a noun phrase: a name stands alone, other labels stand with what they label."""
    leaf, text = label
    time = _DAY_OR_MOMENT.fullmatch(text)
    if time:
        return f"the {noun} on {time[1]}{f' at {time[2]}' if time[2] else ''}"
    is_short = len(text) <= _LONGEST_NAME and not any(mark in text for mark in ".?!,:'")
    is_name = is_short and (text.istitle() or " " not in text)
    if is_short and not is_name and text.casefold().startswith(f"{noun} "):
        return f"the {text[:1].lower()}{text[1:]}"
    if not is_name:
        return f"the {noun} '{text}'"
    if leaf in ("name", f"{noun}_name") and text[:1].isupper():
        return text
    return f"the {text.removeprefix('The ').replace('_', ' ')} {noun}"


def _extrema(
    tool: Tool, result: JsonObject, source_path: str, pattern: str, noun: str
) -> list[Referent]:
    """Return what the item is the most of: of two leaves with the same words only the first."""
    found: list[Referent] = []
    words_taken: set[str] = set()
    for leaf in _beside(tool, pattern):
        low, high = _extreme_words(leaf)
        if not low or low in words_taken:
            continue
        words_taken.add(low)
        own = value_at(result, f"{parent_of(source_path)}.{leaf.name}".lstrip("."))
        values = cast("list[float]", [value for _, value in leaves_at(result, leaf.path)])
        if len(values) < 2 or values.count(cast("float", own)) != 1 or _has_negative(values):
            continue
        for words, end in ((low, min(values)), (high, max(values))):
            if own == end:
                found.append(Referent(kind="extremum", text=f"the {words.format(noun)}"))
    return found[:2]


def _has_negative(values: Sequence[object]) -> bool:
    """Return whether money goes both ways: nobody knows then which amount is the smallest."""
    return any(isinstance(value, int | float) and value < 0 for value in values)


def _beside(tool: Tool, pattern: str) -> list[Parameter]:
    above = parent_of(pattern)
    return [
        leaf
        for leaf in tool.outputs
        if parent_of(leaf.path) == above and leaf.path != pattern and not leaf.path.endswith("[]")
    ]


def _extreme_words(leaf: Parameter) -> tuple[str, str]:
    if leaf.type in ("date", "date-time"):
        return ("", "") if leaf.name.endswith(_LIMITS) else _TIMES
    if leaf.type in ("number", "integer"):
        for words, low, high in _EXTREMES:
            if words & set(leaf.name.split("_")):
                return low, high
    return "", ""
