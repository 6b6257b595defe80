"""Python text laid out as the formatter lays it out: what is too long is folded at its brackets.

It folds what the builder writes (calls, signatures, tuples, comprehensions, plain and f-strings in
double quotes), not any Python.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

LINE_LENGTH = 100
_STEP = 4
_OPENING, _CLOSING = "([{", ")]}"
_CLAUSE = re.compile(r" (?=(?:for|if) )")
_STRING = re.compile(r'(?P<head>[a-z_]+=)?(?P<prefix>f?)"(?P<text>.*)"(?P<tail>,?)')


def lay_out(statement: str, depth: int = 0) -> list[str]:
    """Return the lines of one statement, which is given on one line.

    Args:
        statement: The statement, or the head of a block with its colon.
        depth: How many blocks it stands in.
    """
    return _folded(statement, depth * _STEP)


def quoted(text: str) -> str:
    """Return a string literal of a text as `tidy` leaves it."""
    return f'"{tidy(text)}"'


def tidy(text: str) -> str:
    """Return a text on one line, without what does not belong into source."""
    printable = "".join(
        c if c.isprintable() else " " for c in text.replace("\\", "/").replace("__", "_")
    )
    return " ".join(printable.replace('"', "'").split())


def docstring(text: str, depth: int) -> list[str]:
    """Return the lines of a docstring: one sentence on the first line, the rest below it."""
    indent, room = " " * depth * _STEP, LINE_LENGTH - depth * _STEP
    sentence = tidy(text).rstrip(".?!:; ") + "."
    if _width(sentence) + 6 <= room:
        return [f'{indent}"""{sentence}"""']
    lines = _filled(sentence, room - 3)
    return [f'{indent}"""{lines[0]}', *(f"{indent}{line}" for line in lines[1:]), f'{indent}"""']


def tuple_of(items: Sequence[str]) -> str:
    """Return a tuple display."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _filled(text: str, room: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if _width(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _folded(text: str, indent: int) -> list[str]:
    if indent + _width(text) <= LINE_LENGTH:
        return [" " * indent + text]
    string = _STRING.fullmatch(text)
    if string and '"' not in string["text"]:
        return _pieces(string, indent)
    pairs = [pair for pair in _pairs(text) if pair[1] > pair[0] + 1]
    if not pairs:
        return [" " * indent + text]
    opening, closing = pairs[-1]
    is_display = opening == 0 or not (text[opening - 1].isalnum() or text[opening - 1] in "_)]")
    body = _body(text[opening + 1 : closing], indent + _STEP, is_display=is_display)
    return [" " * indent + text[: opening + 1], *body, " " * indent + text[closing:]]


def _body(body: str, indent: int, *, is_display: bool) -> list[str]:
    clauses = _split(body, _CLAUSE)
    if len(clauses) > 1 and indent + _width(body) <= LINE_LENGTH:
        return [" " * indent + body]
    if len(clauses) > 1:
        return [line for clause in clauses for line in _clause(clause, indent)]
    elements = [part for part in _split(body, re.compile(r",(?: |$)")) if part]
    fits = indent + _width(body) <= LINE_LENGTH
    if len(elements) == 1 and not body.endswith(","):
        return [" " * indent + body] if fits else _clause(body, indent)
    if fits and not is_display:
        return [" " * indent + body]
    return [line for element in elements for line in _folded(f"{element},", indent)]


def _clause(clause: str, indent: int) -> list[str]:
    if indent + _width(clause) <= LINE_LENGTH:
        return [" " * indent + clause]
    for word in ("or", "and"):
        parts = _split(clause, re.compile(rf" (?={word} )"))
        if len(parts) > 1:
            return [line for part in parts for line in _folded(part, indent)]
    return _folded(clause, indent)


def _pieces(string: re.Match[str], indent: int) -> list[str]:
    """Return a long string as literals that follow each other."""
    head, tail = string["head"] or "", string["tail"]
    room = LINE_LENGTH - indent - len(head) - 5
    lines = _filled(string["text"], room)
    spaced = [f"{line} " for line in lines[:-1]] + lines[-1:]
    marked = [f'{"f" if string["prefix"] and "{" in line else ""}"{line}"' for line in spaced]
    marked[0] = head + marked[0]
    marked[-1] += tail
    return [" " * indent + line for line in marked]


def _split(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split a text where a separator stands outside of brackets and strings."""
    parts: list[str] = []
    start = 0
    outside = set(_outside(text))
    for match in separator.finditer(text):
        if match.start() in outside:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def _outside(text: str) -> Iterator[int]:
    depth, in_string = 0, False
    for index, character in enumerate(text):
        if character == '"':
            in_string = not in_string
        elif not in_string:
            depth += (character in _OPENING) - (character in _CLOSING)
            if depth == 0:
                yield index


def _pairs(text: str) -> list[tuple[int, int]]:
    """Return where the outermost brackets open and close."""
    found: list[tuple[int, int]] = []
    depth, in_string, start = 0, False, 0
    for index, character in enumerate(text):
        if character == '"':
            in_string = not in_string
        elif in_string:
            continue
        elif character in _OPENING:
            start = index if depth == 0 else start
            depth += 1
        elif character in _CLOSING:
            depth -= 1
            if depth == 0:
                found.append((start, index))
    return found
