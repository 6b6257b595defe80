"""Phrasings as reports: what was asked for, told by the one who did it."""

import re

_IRREGULAR = {
    "buy": "bought",
    "find": "found",
    "get": "got",
    "give": "gave",
    "hold": "held",
    "keep": "kept",
    "lend": "lent",
    "let": "let",
    "make": "made",
    "pay": "paid",
    "put": "put",
    "read": "read",
    "remind": "arranged to remind",
    "see": "saw",
    "send": "sent",
    "set": "set",
    "take": "took",
    "tell": "told",
    "throw": "threw",
    "withdraw": "withdrew",
    "write": "wrote",
}
_DOUBLED = re.compile(r"[^aeiou]*[aeiou][bdgmnprt]|.*[^aeiou]cel")
_YOURS = {"my": "your", "me": "you", "I": "you", "mine": "yours", "myself": "yourself"}
_OWN = re.compile(rf"\b({'|'.join(_YOURS)})\b")
_SECOND_VERB = re.compile(r"\band (\w+)(?= (?:it\b|its\b|\{))")
_NO_VERBS = frozenset({"at", "by", "for", "from", "in", "of", "on", "to", "until", "with"})


def past(verb: str) -> str:
    """Return the past tense of an English verb: `cancel` is `cancelled`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if re.fullmatch(r".*[^aeiou]y", verb):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if _DOUBLED.fullmatch(verb) else f"{verb}ed"


def told_to_the_user(template: str) -> str:
    """Return a phrasing with `my` as `your` and every verb but the first in the past tense.

    `move {event_id} to {start}[ and make it {minutes} minutes long]` gets `made it`.
    """
    told = yours(template)
    return _SECOND_VERB.sub(lambda match: f"and {_past_of_verb(match.group(1))}", told)


def yours(text: str) -> str:
    """Return what a user says, said to the user: `my phone` is `your phone`."""
    return _OWN.sub(lambda match: _YOURS[match.group(1)], text)


def _past_of_verb(word: str) -> str:
    return word if word in _NO_VERBS else past(word)
