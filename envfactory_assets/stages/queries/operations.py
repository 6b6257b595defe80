"""Refinements as operations on the structure of a turn: what is left out, kept back, added.

Not here: pointing at things (`implicit_reference`).
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from envfactory_assets.records.queries import Disclosure, PlannedArgument
from envfactory_assets.stages.queries.drafting import Turn
from envfactory_assets.stages.queries.motives import MOTIVES
from envfactory_assets.stages.queries.phrasing import (
    Clause,
    can_cut,
    is_quoted,
    narrowing,
)
from envfactory_assets.stages.queries.wording import (
    join_words,
    mentions,
    spellings,
    topic_of,
    words_of,
)
from sandboxes.core.catalog import Catalog


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
                lead = "of" if said.startswith("the ") else "from"
                clause = clause.carrying(argument.path, f"{lead} {other}")
            break
    return clause


def _left_over(silent: list[Clause], compressed: Turn) -> str | None:
    """Return a sentence that says what only the silenced look-ups said; None where none can."""
    text = compressed.text()
    ending = ""
    for clause in silent:
        unsaid = {
            argument.path: argument.required
            for argument in clause.call.provenance
            if argument.source == "user"
            and argument.path in clause.texts
            and not mentions(text, argument.value)
        }
        if not unsaid:
            continue
        only_these = {path: clause.texts[path] for path in unsaid}
        tail, slots = narrowing(replace(clause, texts=only_these))
        if ending or not all(unsaid.values()) or not unsaid.keys() <= slots:
            return None
        ending = f" I mean {_meant(clause.call.step, compressed)} {tail}."
    return ending


def _meant(step: int, turn: Turn) -> str:
    """Return what a silenced look-up was for: `the hotel`."""
    taken = [
        argument
        for clause in turn.clauses
        for argument in clause.call.provenance
        if argument.source_step == step
    ]
    is_one = len({str(argument.value) for argument in taken}) == 1
    return f"the {taken[0].noun}" if is_one else "the ones"


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
    if clause.call.actor == "user":
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
