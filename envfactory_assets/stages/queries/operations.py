"""The four refinements, as operations on the structure of a turn (paper, calibrated refinement)."""

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from envfactory_assets.records.queries import Disclosure, PlannedArgument
from envfactory_assets.stages.queries.drafting import Turn
from envfactory_assets.stages.queries.motives import MOTIVES
from envfactory_assets.stages.queries.phrasing import (
    Clause,
    can_cut,
    is_quoted,
    narrowing,
    stands_free,
)
from envfactory_assets.stages.queries.wording import (
    join_words,
    mentions,
    spellings,
    topic_of,
    words_of,
)
from sandboxes.core.catalog import Catalog

_DATE_RANGE = re.compile(
    r"(?:from|between) \{(check_in|start\w*|from\w*|first\w*)\} (?:to|until|and) \{(\w+)\}"
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")
_LEAST_TELLING = 4


@dataclass(frozen=True, slots=True)
class Refinement:
    """What an operation did to a turn.

    Attributes:
        turn: The turn afterwards.
        reason: What changed, in one sentence.
        disclosures: What the user now keeps back until asked.
    """

    turn: Turn
    reason: str
    disclosures: tuple[Disclosure, ...] = ()


def implicit_reference(turn: Turn, earlier: list[Turn], rng: random.Random) -> Refinement | None:
    """Point at entities by what singles them out, and at repeated values by `the same`."""
    clauses = list(turn.clauses)
    changed: list[str] = []
    for index, clause in enumerate(clauses):
        before = _spoken(earlier, clauses[:index])
        if _has_same_dates(clause, before):
            clause = replace(
                clause, template=_DATE_RANGE.sub("for the same dates", clause.template)
            )
            for path in _range_slots(clauses[index]) or ():
                clause = clause.without(path)
            changed.append("the repeated dates became 'the same dates'")
        for argument in clause.call.provenance:
            if argument.path not in clause.texts or is_quoted(clause, argument.path):
                continue
            asked = {item.call.step for item in clauses[: index + 1] if item.is_spoken}
            text = _implicit_text(argument, clause, before, earlier, asked, rng)
            if text and text != clause.texts[argument.path]:
                changed.append(f"{clause.texts[argument.path]!r} became {text!r}")
                is_known = text == f"that {argument.noun}"
                say = clause.naming if is_known else clause.saying
                clause = say(argument.path, text)
        clauses[index] = clause
    if not changed:
        return None
    return Refinement(replace(turn, clauses=tuple(clauses)), f"{'; '.join(changed)}.")


def _spoken(earlier: Iterable[Turn], before: Iterable[Clause]) -> list[Clause]:
    """Return the clauses that were said, in order."""
    clauses = [*(clause for turn in earlier for clause in turn.clauses), *before]
    return [clause for clause in clauses if clause.is_spoken]


def _range_slots(clause: Clause) -> tuple[str, str] | None:
    match = _DATE_RANGE.search(clause.template)
    return (match.group(1), match.group(2)) if match else None


def _has_same_dates(clause: Clause, before: list[Clause]) -> bool:
    """Return whether the dates of a clause are the last ones that were said."""
    slots = _range_slots(clause)
    if slots is None or not all(slot in clause.texts for slot in slots):
        return False
    said = [dates for item in before if (dates := _dates_of(item))]
    own = {item.path: item.value for item in clause.call.provenance}
    return bool(said) and said[-1] == {str(own[slot]) for slot in slots}


def _dates_of(clause: Clause) -> set[str]:
    values = [item.value for item in clause.call.provenance if item.source == "user"]
    return {value for value in values if isinstance(value, str) and _DAY.fullmatch(value)}


def _implicit_text(
    argument: PlannedArgument,
    clause: Clause,
    before: list[Clause],
    earlier: list[Turn],
    asked: set[int],
    rng: random.Random,
) -> str | None:
    if argument.source == "user":
        return _same_again(argument, clause, _spoken(earlier, ()))
    named = {
        str(item.value)
        for said in before
        for item in said.call.provenance
        if item.source == "result" and item.noun == argument.noun
    }
    if named == {str(argument.value)}:
        return f"that {argument.noun}"
    kinds = ("extremum", "position") if argument.source_step in asked else ("extremum",)
    others = [item.text for item in argument.referents if item.kind in kinds]
    return rng.choice(others[:2]) if others else None


def _same_again(argument: PlannedArgument, clause: Clause, said: list[Clause]) -> str | None:
    """Return `the same city` where one city was said in earlier turns, and it is this one."""
    value, words = argument.value, words_of(argument.path)
    if not isinstance(value, str) or len(value) < _LEAST_TELLING:
        return None
    values = {
        str(item.value)
        for spoken in said
        for item in spoken.call.provenance
        if words_of(item.path) == words
    }
    if values != {value} or not stands_free(clause, argument.path):
        return None
    if _MOMENT.fullmatch(value):
        return "the same time"
    if _DAY.fullmatch(value):
        return None
    if words == "email":
        return "the same person"
    return f"the same {words}" if " " not in words else None


def action_compression(turn: Turn) -> Refinement | None:
    """Leave out the look-ups that a later step of the turn implies, and keep their values."""
    needed = {
        argument.source_step
        for clause in turn.clauses
        for argument in clause.call.provenance
        if argument.source_step is not None
    }
    compressed = turn
    silent: dict[int, Clause] = {}
    for clause in turn.clauses:
        if clause.call.effect == "read" and clause.call.step in needed:
            more = {**silent, clause.call.step: clause.silenced()}
            shorter = _without(turn, more)
            if shorter is not None:
                compressed, silent = shorter, more
    if not silent:
        return None
    names = [words_of(clause.call.tool.split("__")[1]) for clause in silent.values()]
    return Refinement(compressed, f"The request no longer asks to {join_words(names)} on the way.")


def _without(turn: Turn, silent: Mapping[int, Clause]) -> Turn | None:
    """Return the turn without some look-ups; None where it would not read well or lose a value."""
    clauses: list[Clause] = []
    for clause in turn.clauses:
        carrying = silent.get(clause.call.step) or _carrying(clause, silent)
        if carrying is None:
            return None
        clauses.append(carrying)
    compressed = replace(turn, clauses=tuple(clauses))
    ending = _left_over(list(silent.values()), compressed)
    return None if ending is None else replace(compressed, ending=ending)


def _is_new(said: str, other: str) -> bool:
    said, other = said.casefold(), other.casefold()
    return other not in said and said not in other


def _carrying(clause: Clause, silent: Mapping[int, Clause]) -> Clause | None:
    """Say behind an entity what the silenced look-up that lists it was narrowed down to.

    Where the look-up was about the very entity, it is called what the look-up called it. None
    where the words would pile up (`the file of the folder of the file …`).
    """
    for argument in clause.call.provenance:
        source = silent.get(argument.source_step) if argument.source_step is not None else None
        said = clause.texts.get(argument.path)
        if source is None or said is None:
            continue
        for item in source.call.provenance:
            other = source.texts.get(item.path, "")
            if item.source == "user" or not other or other.startswith("that "):
                continue
            if item.value == argument.value:
                clause = clause.saying(argument.path, other)
            elif _is_new(said, other) and " of " in f"{said} {other}":
                return None
            elif _is_new(said, other):
                clause = clause.carrying(argument.path, f"of {other}")
            break
    return clause


def _left_over(silent: list[Clause], compressed: Turn) -> str | None:
    """Return a sentence that says what only the silenced look-ups said; None where none can."""
    text = compressed.text()
    ending = ""
    for clause in silent:
        unsaid = [
            argument
            for argument in clause.call.provenance
            if argument.source == "user"
            and argument.path in clause.texts
            and not mentions(text, argument.value)
        ]
        tail, slots = narrowing(clause)
        if not unsaid:
            continue
        if ending or not all(item.required and item.path in slots for item in unsaid):
            return None
        ending = f" I mean {_the_ones(clause.call.step, compressed)} {tail}."
    return ending


def _the_ones(step: int, turn: Turn) -> str:
    meant = {
        str(argument.value)
        for clause in turn.clauses
        for argument in clause.call.provenance
        if clause.is_spoken and argument.source_step == step
    }
    return "the one" if len(meant) == 1 else "the ones"


def ambiguity(turn: Turn, history: str, catalog: Catalog, rng: random.Random) -> Refinement | None:
    """Leave one required value unsaid; the user gives it when asked."""
    choices = [
        (index, argument)
        for index, clause in enumerate(turn.clauses)
        for argument in clause.call.provenance
        if _can_be_kept_back(clause, argument, turn, history)
        and not _is_whole_without(clause, argument, catalog)
    ]
    if not choices:
        return None
    index, argument = rng.choice(choices)
    clauses = list(turn.clauses)
    said = spellings(argument.value)[0]
    if is_quoted(clauses[index], argument.path):
        said = f"'{said}'"
    topic = topic_of(argument.path, argument.value)
    disclosure = Disclosure(
        step=clauses[index].call.step,
        path=argument.path,
        topic=topic,
        value=argument.value,
        answer=f"The {topic} should be {said}.",
    )
    clauses[index] = clauses[index].without(argument.path)
    reason = f"The {topic} is no longer said; the user gives it when asked."
    return Refinement(replace(turn, clauses=tuple(clauses)), reason, (disclosure,))


def _can_be_kept_back(clause: Clause, argument: PlannedArgument, turn: Turn, history: str) -> bool:
    if argument.source != "user" or not argument.required or not clause.is_spoken:
        return False
    if "[" in argument.path or "." in argument.path or isinstance(argument.value, bool):
        return False
    if not can_cut(clause, argument.path):
        return False
    slot_text = clause.texts.get(argument.path, "")
    said_again = turn.text().casefold().count(slot_text.casefold()) > 1
    return bool(slot_text) and not said_again and not mentions(history, argument.value)


def _is_whole_without(clause: Clause, argument: PlannedArgument, catalog: Catalog) -> bool:
    """Return whether what is left asks for another tool: to pay on a day, without the day, to pay.

    Nobody could know then that something was kept back.
    """
    own = catalog.tools[clause.call.tool]
    verb = clause.template.split()[0]
    left = {item.path for item in clause.call.provenance} - {argument.path}
    return any(
        {leaf.path for leaf in other.inputs if leaf.required} <= left
        for other in catalog.load(catalog.environment_of(own.wire_name)).tools.values()
        if other.name != own.name and any(text.split()[0] == verb for text in other.phrasings)
    )


def goal_expansion(turn: Turn, domain: str, rng: random.Random) -> Refinement | None:
    """Say what the request is for, as people do before they ask."""
    if turn.aside or turn.number:
        return None
    motive = rng.choice(MOTIVES[domain])
    return Refinement(replace(turn, aside=motive), f"It now begins with the goal: {motive!r}")
