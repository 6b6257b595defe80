"""Clauses: a tool's phrasing with its slots filled, as structure until it is rendered."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from envfactory_assets.records.queries import PlannedArgument, PlannedCall
from envfactory_assets.stages.queries.wording import join_words, spellings, words_of
from sandboxes.core.state_values import singular
from sandboxes.core.tool import Tool

_SLOT = re.compile(r"\{([^{}]+)\}")
_LEADS = (
    "in the name of|with the \\w+|for the \\w+|to the \\w+|at the \\w+|saying that|starting at"
    "|ending at|because of|because it is|for|with|on|at|from|to|until|till|titled|saying|called"
    "|named|by|as|under|about|of|in|into|and"
)
_SMALL_WORDS = frozenset(
    {"and", "for", "from", "into", "its", "my", "of", "on", "the", "to", "with"}
)
_UNITS = "stars|minutes|days|hours|guests|pieces|units|items"
_WHEN_ASKED = "let me know when to"
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_FIRST_LEAD = re.compile(rf"\b(?:that (?:is|are) \w+ )?(?:{_LEADS}|between)\s+['\"]?\{{")


@dataclass(frozen=True, slots=True)
class Clause:
    """One step as the user asks for it.

    Attributes:
        call: The planned call.
        template: The phrasing, with slots.
        texts: What each argument leaf is said as; a leaf that is not here is left unsaid.
        is_spoken: Whether the clause itself is said; its values may be said without it.
        carried: What is said behind a leaf since the clause that said it is not: `of Casa Azul`.
    """

    call: PlannedCall
    template: str
    texts: dict[str, str]
    is_spoken: bool = True
    carried: dict[str, str] = field(default_factory=dict[str, str])

    def without(self, path: str) -> "Clause":
        """Return the clause with one leaf left unsaid."""
        return replace(self, texts={key: text for key, text in self.texts.items() if key != path})

    def saying(self, path: str, text: str) -> "Clause":
        """Return the clause with one leaf said differently."""
        return replace(self, texts={**self.texts, path: text})

    def carrying(self, path: str, text: str) -> "Clause":
        """Return the clause with something said behind one leaf."""
        return replace(self, carried={**self.carried, path: text})

    def naming(self, path: str, text: str) -> "Clause":
        """Return the clause with an entity said differently, and nothing behind it."""
        kept = {key: item for key, item in self.carried.items() if key != path}
        return replace(self, texts={**self.texts, path: text}, carried=kept)

    def silenced(self) -> "Clause":
        """Return the clause unsaid."""
        return replace(self, is_spoken=False)


def clause_for(call: PlannedCall, tool: Tool, spelling: int, rng: random.Random) -> Clause:
    """Return the plain clause of a planned call: every value named, every entity by its label.

    What the user does is not asked for: the clause asks to be told when to do it.

    Args:
        call: The planned call.
        tool: Its tool, whose phrasings are drawn from.
        spelling: Which spelling of dates and the like to use: 0 or 1, one for a whole task.
        rng: Draws the phrasing.
    """
    template = rng.choice(tool.phrasings) if tool.phrasings else _from_description(tool)
    texts = {argument.path: say(argument, spelling) for argument in call.provenance}
    if call.actor == "user":
        template = f"{_WHEN_ASKED} {template}"
    return Clause(call=call, template=template, texts=texts)


def deed_of(call: PlannedCall, tool: Tool, reworded: Callable[[str], str] = str) -> str:
    """Return what the user does in a planned call, in the user's words.

    Args:
        call: The call.
        tool: Its tool.
        reworded: What to make of the phrasing; the values in it stay as they are.
    """
    template = tool.phrasings[0] if tool.phrasings else _from_description(tool)
    texts = {argument.path: say(argument, 0) for argument in call.provenance}
    return render(Clause(call=call, template=reworded(template), texts=texts))


def words_of_phrasings(tool: Tool) -> tuple[list[str], list[str]]:
    """Return the verbs by which a tool is asked for, and the other words, values aside."""
    texts = [tool.name.replace("_", " "), *tool.phrasings]
    split = [
        re.findall(r"[a-z]+", _SLOT.sub(" ", _OPTIONAL.sub(" ", text)).lower()) for text in texts
    ]
    verbs = dict.fromkeys(words[0] for words in split if words)
    others = dict.fromkeys(word for words in split for word in words[1:] if len(word) > 2)
    return list(verbs), [word for word in others if word not in _SMALL_WORDS and word not in verbs]


def say(argument: PlannedArgument, spelling: int) -> str:
    """Return how the plain draft says an argument, in one of the spellings of its value."""
    if argument.source == "result" and argument.referents:
        return argument.referents[0].text
    if argument.source == "result":
        return f"that {argument.noun}"
    ways = spellings(argument.value)
    return ways[min(spelling, len(ways) - 1)]


def render(clause: Clause) -> str:
    """Return the text of a clause: optional parts without a value go, other values are added."""
    by_slot = _by_slot(clause)
    template = _template(clause, by_slot)
    said = set(_SLOT.findall(template))
    rest = [f"{words_of(slot)}: {value}" for slot, value in by_slot.items() if slot not in said]
    text = _filled(template, by_slot)
    return f"{text} ({', '.join(rest)})" if rest else text


def narrowing(clause: Clause) -> tuple[str, frozenset[str]]:
    """Return what a look-up is narrowed down by, `in Oslo from May 4`, and the slots said in it."""
    by_slot = _by_slot(clause)
    template = _template(clause, by_slot)
    first = _FIRST_LEAD.search(template)
    tail = template[first.start() :] if first else ""
    return _filled(tail, by_slot), frozenset(_SLOT.findall(tail))


def stands_free(clause: Clause, path: str) -> bool:
    """Return whether words lead up to a leaf and nothing behind belongs to it: `in {city} from`."""
    return _free_slot(clause, path) is not None


def can_cut(clause: Clause, path: str) -> bool:
    """Return whether a clause still reads well without a leaf and the words that lead up to it.

    The word behind the verb may be a part of it: `hand in {answer}` cannot lose its `in`.
    """
    match = _free_slot(clause, path)
    return match is not None and len(clause.template[: match.start()].split()) > 1


def is_quoted(clause: Clause, path: str) -> bool:
    """Return whether a leaf is said word for word, in quotes."""
    return f"'{{{path}}}'" in clause.template


def _free_slot(clause: Clause, path: str) -> re.Match[str] | None:
    follows = rf"(?=\s*(?:$|[\[\],.:;]|\{{|(?:{_LEADS}|until|and)\b))"
    return re.search(_cut_pattern(path, needs_lead=True) + follows, clause.template)


def _template(clause: Clause, by_slot: Mapping[str, str]) -> str:
    """Return the phrasing without what is not said."""

    def optional(match: re.Match[str]) -> str:
        part = match.group(1)
        return part if all(slot in by_slot for slot in _SLOT.findall(part)) else ""

    template = _OPTIONAL.sub(optional, clause.template)
    for slot in _SLOT.findall(template):
        if slot not in by_slot:
            template = _cut(template, slot)
    return template


def _filled(template: str, by_slot: Mapping[str, str]) -> str:
    for slot, text in by_slot.items():
        if text == "1":
            template = re.sub(rf"(\{{{re.escape(slot)}\}}) (\w+)( \w+)?", _one_thing, template)
    return _SLOT.sub(lambda match: by_slot[match.group(1)], template)


def _one_thing(match: re.Match[str]) -> str:
    """Return a counted noun in the singular: `{seats} free seats` is `{seats} free seat`."""
    slot, first, second = match.group(1), match.group(2), match.group(3) or ""
    if _is_plural(first):
        return f"{slot} {singular(first)}{second}"
    return f"{slot} {first}{singular(second) if _is_plural(second) else second}"


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith("ss")


def _by_slot(clause: Clause) -> dict[str, str]:
    """Return what is said, by top-level argument: the slot of a phrasing."""
    grouped: dict[str, list[str]] = {}
    for path, text in clause.texts.items():
        spoken = f"{text} {clause.carried.get(path, '')}".rstrip()
        grouped.setdefault(re.split(r"[.\[{]", path)[0], []).append(spoken)
    return {slot: join_words(parts) for slot, parts in grouped.items()}


def _cut(template: str, slot: str) -> str:
    """Return a template without a slot and the words that lead up to it."""
    paired = re.sub(rf"(?:between|from) \{{{slot}\}} (?:and|to) (?=\{{)", "until ", template)
    paired = re.sub(rf"between (?=\{{\w+\}} and \{{{slot}\}})", "from ", paired)
    return re.sub(_cut_pattern(slot, needs_lead=False), "", paired)


def _cut_pattern(slot: str, *, needs_lead: bool) -> str:
    lead = rf"(?:\b(?:{_LEADS})\s+){'' if needs_lead else '?'}"
    return rf"[\s,:]*{lead}['\"]?\{{{re.escape(slot)}\}}['\"]?(?:\s+(?:{_UNITS})\b)?"


def _from_description(tool: Tool) -> str:
    sentence = tool.description.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
