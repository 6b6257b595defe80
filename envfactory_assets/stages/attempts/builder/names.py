"""Names for what is built: safe in Python and in our contract, and no two alike."""

import builtins
import keyword
import re
import unicodedata
from collections.abc import Collection

from pydantic import BaseModel

from sandboxes.core.environment import Environment
from sandboxes.core.state import State

_LONGEST_NAME = 32
_UNREADABLE = re.compile(r"[^a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Names that the source rules let no function use, a parameter of that name included.
_RULED_OUT = frozenset(
    [
        "breakpoint",
        "compile",
        "copyright",
        "credits",
        "delattr",
        "dir",
        "eval",
        "exec",
        "exit",
        "getattr",
        "globals",
        "hasattr",
        "help",
        "input",
        "license",
        "locals",
        "memoryview",
        "mro",
        "open",
        "print",
        "quit",
        "random",
        "setattr",
        "type",
        "vars",
    ]
)
_USED_BUILTINS = frozenset({"any", "bool", "dict", "float", "int", "len", "list", "range", "str"})
_USED_IN_CLASS = _USED_BUILTINS | {"random", "state", "tool"}
_USED_LOCALS = frozenset({"changes", "cls", "found", "given", "references", "self"})
_USED_ARGUMENTS = frozenset(
    {"details", "entry", "query", "random", "rng", "state", "tool", "world"}
)
_CORE_CLASSES = frozenset(
    [
        "Annotated",
        "Clock",
        "Day",
        "Entity",
        "Environment",
        "Field",
        "Identifier",
        "Label",
        "Literal",
        "Moment",
        "Result",
        "State",
        "ToolError",
        "TypeVar",
        "World",
        "CityName",
        "EmailAddress",
    ]
)
_VOWELS = "aeiou"


class Names:
    """Hands out names, each once."""

    def __init__(self, taken: Collection[str] = ()) -> None:
        """Begin with names that are taken already."""
        self._taken = set(taken)

    def claim(self, wanted: str, otherwise: str) -> str:
        """Return the wanted name, or it with `otherwise` behind it, numbered if need be."""
        name, number = wanted, 1
        while name in self._taken:
            name = f"{wanted}{otherwise}{number if number > 1 else ''}"
            number += 1
        self._taken.add(name)
        return name


def class_names() -> Names:
    """Return a register for classes of a module, which core's classes and builtins are not."""
    return Names(_CORE_CLASSES | {name for name in dir(builtins) if name[0].isupper()})


def method_names() -> Names:
    """Return a register for the tools of an environment."""
    return Names(
        {*dir(Environment), *Environment.__annotations__, *keyword.kwlist, *_USED_IN_CLASS}
    )


def table_names() -> Names:
    """Return a register for the tables of a state."""
    return Names({*dir(State), "clock"})


def snake(text: str, longest: int = _LONGEST_NAME) -> str:
    """Return a name in snake case, cut after a whole word; `item` where nothing is left."""
    plain = unicodedata.normalize("NFKD", _HUMP.sub("_", text)).encode("ascii", "ignore").decode()
    words = [word for word in _UNREADABLE.split(plain.lower()) if word]
    while words and words[0][0].isdigit():
        words.append(words.pop(0)) if any(not w[0].isdigit() for w in words) else words.clear()
    while len(words) > 1 and len("_".join(words)) > longest:
        words.pop()
    return "_".join(words)[:longest].rstrip("_") or "item"


def pascal(name: str) -> str:
    """Return a class name."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def field_name(wanted: str, entity: str) -> str:
    """Return a name that a field, a parameter and a keyword argument can have."""
    name = snake(wanted)
    is_taken = (
        keyword.iskeyword(name)
        or name in _RULED_OUT | _USED_BUILTINS | _USED_LOCALS
        or hasattr(BaseModel, name)
        or name.startswith("model_")
    )
    return f"{entity}_{name}" if is_taken else name


def variable_name(entity: str) -> str:
    """Return what one entity is called inside a function."""
    is_taken = (
        keyword.iskeyword(entity)
        or entity in _RULED_OUT | _USED_BUILTINS | _USED_LOCALS
        or entity in _USED_ARGUMENTS
    )
    return f"{entity}_entry" if is_taken else entity


def plural(name: str) -> str:
    """Return the plural of a name in snake case: `entry` is `entries`, `box` is `boxes`."""
    if name.endswith("s") and not name.endswith(("ss", "us", "is")):
        return name
    if name.endswith("y") and name[-2:-1] not in _VOWELS:
        return name[:-1] + "ies"
    if name.endswith(("s", "sh", "ch", "x", "z")):
        return name + "es"
    return name + "s"


def words(name: str) -> str:
    """Return the words of a name."""
    return name.replace("_", " ")


def with_article(noun: str) -> str:
    """Return a noun with `a` or `an`."""
    sounds_like_you = re.match(r"uni|use|usa|eu|one\b", noun) is not None
    return f"an {noun}" if noun[:1] in _VOWELS and not sounds_like_you else f"a {noun}"


def id_prefix(name: str) -> str:
    """Return what the ids of an entity begin with: `INV` for invoice, `PO` for purchase order."""
    parts = name.split("_")
    return ("".join(part[0] for part in parts) if len(parts) > 1 else name[:3]).upper()
