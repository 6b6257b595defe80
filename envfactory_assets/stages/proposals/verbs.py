"""What the words of a name say that a tool does, and to what."""

from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.proposals import Operation
from envfactory_assets.stages.proposals.identifiers import (
    entity_name,
    is_plural,
    name_words,
    word_set,
)

_OPERATIONS: dict[str, Operation] = {
    "add": "create",
    "browse": "list",
    "change": "update",
    "create": "create",
    "delete": "delete",
    "destroy": "delete",
    "describe": "read",
    "edit": "update",
    "fetch": "read",
    "filter": "search",
    "find": "search",
    "get": "read",
    "insert": "create",
    "list": "list",
    "lookup": "search",
    "modify": "update",
    "patch": "update",
    "post": "create",
    "put": "update",
    "query": "search",
    "read": "read",
    "register": "create",
    "remove": "delete",
    "retrieve": "read",
    "save": "create",
    "search": "search",
    "show": "read",
    "update": "update",
    "view": "read",
}
_LAST_VERBS = word_set("create delete find get insert list read remove search update")
_READING = word_set(
    "analyze calculate check compare compute convert count download echo estimate export "
    "generate ping preview resolve summarize test translate validate verify"
)
_ACTIONS = word_set(
    "accept activate apply approve archive assign attach batch block book buy cancel capture "
    "check checkin checkout clear clone close complete confirm connect copy deactivate decline "
    "detach disable dismiss download duplicate enable execute export finalize finish follow fork "
    "generate import invite join leave like lock login logout mark merge move mute open pause pay "
    "pin play preview process publish purchase rate refresh refund reject release reload reopen "
    "replace request reset resolve restart restore resume retry return revoke run schedule seek "
    "send set share skip star start stop submit subscribe sync test toggle transfer trigger "
    "unarchive unblock unfollow unlike unlock unmute unpin unshare unstar unsubscribe upload "
    "upsert validate verify void vote watch write"
)
_JOINTS = frozenset({"and", "as", "by", "for", "from", "in", "of", "on", "or", "to", "with"})
_FILLERS = frozenset({"a", "all", "an", "by", "many", "multiple", "my", "new", "one", "the"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a name says.

    Attributes:
        operation: What the tool does; `other` when the name has no verb of ours.
        entity: Singular name of what it does it to; empty when the name names nothing.
        is_of_many: Whether the noun is a plural.
        has_rest: Whether the name goes on after the noun (`comment to review`).
    """

    operation: Operation
    entity: str
    is_of_many: bool
    has_rest: bool


def verb_operation(word: str) -> Operation | None:
    """Return what a verb says that a tool does; None for a word that is no verb of ours."""
    return _OPERATIONS.get(word)


def is_action(words: tuple[str, ...]) -> bool:
    """Whether words begin with a verb, so that they name an act and no collection."""
    if not words:
        return False
    if len(words) == 1 and is_plural(words[0]):
        return False
    return words[0] in _ACTIONS or words[0] in _OPERATIONS


def shared_prefix(names: Sequence[str]) -> int:
    """Return how many words all tools' names begin with, such as the service's own name."""
    split = [name_words(name) for name in names]
    count = 0
    while len(split) > 1 and all(len(words) > count + 1 for words in split):
        word = split[0][count]
        if word in _OPERATIONS or word in _ACTIONS or any(it[count] != word for it in split):
            break
        count += 1
    return count


def read_name(name: str, skipped: int = 0) -> Reading:
    """Return what a tool's name says: `create_issue`, `issues.search`, `getIssue`, `list-issues`.

    Args:
        name: The name.
        skipped: Words at its beginning that say nothing.
    """
    words = name_words(name)[skipped:]
    if not words:
        return Reading("other", "", is_of_many=False, has_rest=False)
    if words[0] in _OPERATIONS:
        verb, nouns = words[0], words[1:]
    elif words[-1] in _LAST_VERBS and len(words) > 1 and words[0] not in _ACTIONS:
        verb, nouns = words[-1], words[:-1]
    else:
        return Reading("other", "", is_of_many=False, has_rest=False)
    noun, rest = _noun(nouns)
    if len(noun) == 1 and noun[0] in _OPERATIONS:
        return Reading("other", "", is_of_many=False, has_rest=False)
    of_many = bool(noun) and is_plural(noun[-1])
    operation = _OPERATIONS[verb]
    if operation == "read" and of_many:
        operation = "list"
    return Reading(operation, entity_name(noun), is_of_many=of_many, has_rest=bool(rest))


def reads_by_name(name: str, skipped: int = 0) -> bool:
    """Whether a name of no operation of ours still sounds as if nothing were changed."""
    words = name_words(name)[skipped:]
    return bool(words) and (
        words[0] in _READING or _OPERATIONS.get(words[0]) in ("read", "list", "search")
    )


def _noun(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    start = 0
    while start < len(words) and words[start] in _FILLERS:
        start += 1
    for index in range(start, len(words)):
        if words[index] in _JOINTS:
            return words[start:index], words[index:]
    return words[start:], ()
