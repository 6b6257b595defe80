"""Which input of a tool addresses the one entity that the tool works on."""

from collections.abc import Sequence

from envfactory_assets.stages.proposals.entity_fields import is_own_id
from envfactory_assets.stages.proposals.identifiers import name_words
from envfactory_assets.stages.proposals.schema_shapes import ID_WORDS
from envfactory_assets.stages.proposals.source_tools import Argument

_KEY_WORDS = frozenset(
    {"code", "handle", "identifier", "iid", "key", "name", "no", "number", "path", "ref", "slug"}
)
_ENDS = (("id",), ("gid",), ("uuid",), ("number",))
_SCALARS = ("string", "integer", "number", None)


def key_of(arguments: Sequence[Argument], entity: str) -> str | None:
    """Return the name of the input that addresses an entity; None when none does.

    Its id comes first, then an input named like the entity with a word such as `number`, then one
    called like the entity, then the only required input there is.
    """
    scalars = [one for one in arguments if one.schema.get("type") in _SCALARS]
    is_named = any(name_words(one.name) == tuple(entity.split("_")) for one in arguments)
    for argument in scalars:
        if is_own_id(argument.name, entity) or argument.refers == entity:
            return argument.name
    names_other = any(one.is_required and name_words(one.name)[-1:] in _ENDS for one in scalars)
    for argument in scalars:
        if _numbers(argument.name, entity, is_short=not is_named):
            return argument.name
    for argument in scalars:
        if argument.is_required and not names_other and _is_called(argument.name, entity):
            return argument.name
    required = [one for one in arguments if one.is_required]
    if len(required) != 1 or required[0] not in scalars or required[0].schema.get("enum"):
        return None
    return None if name_words(required[0].name)[-1:] in _ENDS else required[0].name


def _numbers(name: str, entity: str, *, is_short: bool) -> bool:
    """Whether a name is the entity's, or its last or first word, with a word such as `number`."""
    words = name_words(name)
    full = tuple(entity.split("_"))
    if not words or words[-1] not in _KEY_WORDS | ID_WORDS:
        return False
    is_short = is_short and words[-1] not in ID_WORDS
    return words[:-1] in (full, full[-1:], full[:1] if is_short else full)


def _is_called(name: str, entity: str) -> bool:
    """Whether a name is the entity's, in full or cut short (`repo`)."""
    joined, full = "".join(name_words(name)), entity.replace("_", "")
    return len(joined) >= 3 and full.startswith(joined)
