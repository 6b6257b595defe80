"""Clauses: a tool's phrasing with its slots filled, as structure until it is rendered."""

import random
import re
from dataclasses import dataclass, field, replace

from envfactory_assets.records.queries import PlannedArgument, PlannedCall
from envfactory_assets.stages.queries.wording import spellings, words_of
from sandboxes.core.tool import Tool

_SLOT = re.compile(r"\{([^{}]+)\}")
_LEADS = (
    "in the name of|with the \\w+|for the \\w+|to the \\w+|at the \\w+|saying that|starting at"
    "|ending at|for|with|on|at|from|to|until|till|titled|saying|called|named|by|as|under|about|of"
    "|in|into|and|is"
)
_UNITS = "stars|minutes|days|hours|guests|pieces|units|items"
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


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

    def silenced(self) -> "Clause":
        """Return the clause unsaid."""
        return replace(self, is_spoken=False)


def clause_for(call: PlannedCall, tool: Tool, spelling: int, rng: random.Random) -> Clause:
    """Return the plain clause of a planned call: every value named, every entity by its label.

    Args:
        call: The planned call.
        tool: Its tool, whose phrasings are drawn from.
        spelling: Which spelling of dates and the like to use: 0 or 1, one for a whole task.
        rng: Draws the phrasing.
    """
    template = rng.choice(tool.phrasings) if tool.phrasings else _from_description(tool)
    texts = {argument.path: say(argument, spelling) for argument in call.provenance}
    return Clause(call=call, template=template, texts=texts)


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
    spoken = {path: _spoken(clause, path) for path in clause.texts}
    by_slot = _by_slot(spoken)

    def optional(match: re.Match[str]) -> str:
        part = match.group(1)
        return part if all(slot in by_slot for slot in _SLOT.findall(part)) else ""

    template = _OPTIONAL.sub(optional, clause.template)
    for slot in _SLOT.findall(template):
        if slot not in by_slot:
            template = _cut(template, slot)
    said = set(_SLOT.findall(template))
    text = _SLOT.sub(lambda match: by_slot[match.group(1)], template)
    rest = [f"{words_of(slot)}: {value}" for slot, value in by_slot.items() if slot not in said]
    return f"{text} ({', '.join(rest)})" if rest else text


def _spoken(clause: Clause, path: str) -> str:
    return f"{clause.texts[path]} {clause.carried.get(path, '')}".rstrip()


def _by_slot(texts: dict[str, str]) -> dict[str, str]:
    """Group leaf texts by top-level argument: the slot of a phrasing."""
    grouped: dict[str, list[str]] = {}
    for path, text in texts.items():
        grouped.setdefault(re.split(r"[.\[{]", path)[0], []).append(text)
    return {slot: ", ".join(parts) for slot, parts in grouped.items()}


def can_cut(clause: Clause, path: str) -> bool:
    """Return whether a clause still reads well without a leaf: words lead up to its slot."""
    return re.search(_cut_pattern(path, needs_lead=True), clause.template) is not None


def _cut(template: str, slot: str) -> str:
    """Return a template without a slot and the words that lead up to it."""
    paired = re.sub(rf"between \{{{slot}\}} and (?=\{{)", "until ", template)
    paired = re.sub(rf"between (?=\{{\w+\}} and \{{{slot}\}})", "from ", paired)
    return re.sub(_cut_pattern(slot, needs_lead=False), "", paired)


def _cut_pattern(slot: str, *, needs_lead: bool) -> str:
    lead = rf"(?:\b(?:{_LEADS})\s+){'' if needs_lead else '?'}"
    return rf"[\s,:]*{lead}['\"]?\{{{re.escape(slot)}\}}['\"]?(?:\s+(?:{_UNITS})\b)?"


def _from_description(tool: Tool) -> str:
    sentence = tool.description.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
