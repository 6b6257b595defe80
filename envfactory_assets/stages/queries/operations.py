"""The four refinements, as operations on the structure of a turn (paper, calibrated refinement)."""

import random
import re
from dataclasses import dataclass, replace

from envfactory_assets.records.queries import Disclosure, PlannedArgument
from envfactory_assets.stages.queries.drafting import Turn
from envfactory_assets.stages.queries.phrasing import Clause, can_cut
from envfactory_assets.stages.queries.wording import join_words, mentions, spellings, words_of

_MOTIVES: dict[str, tuple[str, ...]] = {
    "office": (
        "I'm trying to get my week in order.",
        "My schedule has been a mess lately and I want it under control.",
        "I have a full week ahead and would like to be prepared.",
        "I'm back from a few days off and catching up on meetings.",
        "My team is waiting for me to settle some dates.",
        "I'd like my calendar to be right before I log off.",
    ),
    "lifestyle": (
        "I've been bad at keeping in touch and want to catch up.",
        "I'm sorting out plans with friends today.",
        "There's a lot going on among my friends right now.",
        "I'm on the move and can't type much myself.",
        "I'd like to clear my messages before dinner.",
        "We are planning a get-together and I keep losing track.",
    ),
    "commerce": (
        "I'm doing a round of shopping and want it off my list.",
        "I'm tidying up my orders before the weekend.",
        "I want my purchases sorted without spending too much.",
        "I have guests coming and need a few things done in the shop.",
        "Some of what I bought lately wasn't quite right.",
        "I finally have a minute for my shopping.",
    ),
    "academic": (
        "I'm planning my semester and want to stay on top of things.",
        "I want to keep my studies on track.",
        "I'm getting organized for my courses.",
        "I'm meeting my adviser soon and want my record straight.",
        "Deadlines are piling up and I need an overview.",
        "I'm thinking about which courses still fit my plan.",
    ),
    "utilities": (
        "I'm cleaning up my files today.",
        "I want my documents where I can find them again.",
        "I'm handing some work over and need my files in shape.",
        "My drive is getting full and messy.",
        "A colleague asked me for some documents.",
        "I'm preparing the papers for a meeting.",
    ),
    "travel": (
        "I'm putting a trip together and want it settled.",
        "I'm going to be on the road soon.",
        "I want my travel plans sorted before things fill up.",
        "A friend is joining me on a trip and I'm arranging the hotel side.",
        "My plans changed and I need to rearrange a few stays.",
        "I'm looking forward to a break and taking care of the rooms now.",
    ),
    "finance": (
        "I'm going through my finances today.",
        "I want my money matters in order before the month ends.",
        "I'm trying to keep a closer eye on my money.",
        "It's payday and I'm distributing things.",
        "I'm settling what I owe people.",
        "I'm checking that nothing unexpected leaves my account.",
    ),
}
_DATE_RANGE = re.compile(
    r"(?:from|between) \{(check_in|start\w*|from\w*|first\w*)\} (?:to|until|and) \{(\w+)\}"
)


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


def implicit_reference(
    turn: Turn, earlier: list[Turn], history: str, rng: random.Random
) -> Refinement | None:
    """Point at entities by what singles them out, and at repeated values by `the same`."""
    clauses = list(turn.clauses)
    changed: list[str] = []
    for index, clause in enumerate(clauses):
        if _has_same_dates(clause, clauses[:index], history):
            clauses[index] = replace(
                clause, template=_DATE_RANGE.sub("for the same dates", clause.template)
            )
            for path in _range_slots(clause) or ():
                clauses[index] = clauses[index].without(path)
            changed.append("the repeated dates became 'the same dates'")
        for argument in clause.call.provenance:
            before = clauses[: index + 1]
            text = _implicit_text(argument, earlier, before, history, rng)
            is_quoted = f"'{{{argument.path}}}'" in clause.template
            if (
                text
                and not is_quoted
                and argument.path in clause.texts
                and text != clause.texts[argument.path]
            ):
                changed.append(f"{clause.texts[argument.path]!r} became {text!r}")
                clauses[index] = clauses[index].saying(argument.path, text)
    if not changed:
        return None
    return Refinement(replace(turn, clauses=tuple(clauses)), f"{'; '.join(changed)}.")


def _range_slots(clause: Clause) -> tuple[str, str] | None:
    match = _DATE_RANGE.search(clause.template)
    return (match.group(1), match.group(2)) if match else None


def _has_same_dates(clause: Clause, before: list[Clause], history: str) -> bool:
    slots = _range_slots(clause)
    if slots is None or not all(slot in clause.texts for slot in slots):
        return False
    said = "\n".join([history, *(" ".join(item.texts.values()) for item in before)])
    values = {item.path: item.value for item in clause.call.provenance}
    return all(mentions(said, values[slot]) for slot in slots)


def _implicit_text(
    argument: PlannedArgument,
    earlier: list[Turn],
    before: list[Clause],
    history: str,
    rng: random.Random,
) -> str | None:
    if argument.source == "user":
        is_name = isinstance(argument.value, str) and len(argument.value) > 3
        if is_name and argument.required and mentions(history, argument.value):
            return _same(argument)
        return None
    named = _entities_named(argument.noun, earlier, before[:-1])
    if named == {str(argument.value)}:
        return f"that {argument.noun}"
    asked = {item.call.step for item in before if item.is_spoken}
    kinds = ("extremum", "position") if argument.source_step in asked else ("extremum",)
    others = [item.text for item in argument.referents if item.kind in kinds]
    return rng.choice(others[:2]) if others else None


def _same(argument: PlannedArgument) -> str | None:
    words = words_of(argument.path)
    return f"the same {words}" if len(words.split()) == 1 else None


def _entities_named(noun: str, earlier: list[Turn], before: list[Clause]) -> set[str]:
    clauses = [clause for turn in earlier for clause in turn.clauses] + before
    return {
        str(argument.value)
        for clause in clauses
        for argument in clause.call.provenance
        if argument.source == "result" and argument.noun == noun
    }


def action_compression(turn: Turn) -> Refinement | None:
    """Leave out the look-ups that a later step of the turn implies, and keep their values."""
    needed = {
        argument.source_step
        for clause in turn.clauses
        for argument in clause.call.provenance
        if argument.source_step is not None
    }
    clauses = [
        clause.silenced() if clause.call.effect == "read" and clause.call.step in needed else clause
        for clause in turn.clauses
    ]
    silent = {clause.call.step: clause for clause in clauses if not clause.is_spoken}
    if not silent or len(silent) == len(clauses):
        return None
    clauses = [_carrying(clause, silent) if clause.is_spoken else clause for clause in clauses]
    compressed = replace(turn, clauses=tuple(clauses))
    unsaid = _left_over(list(silent.values()), compressed.text())
    if not all(argument.required for argument, _ in unsaid):
        return None
    notes = list(dict.fromkeys(note for _, note in unsaid))
    if notes:
        sentence = f"{join_words(notes)}."
        compressed = replace(compressed, ending=f" {sentence[:1].upper()}{sentence[1:]}")
    names = [words_of(clause.call.tool.split("__")[1]) for clause in silent.values()]
    reason = f"The request no longer asks to {join_words(names)} on the way."
    return Refinement(compressed, reason)


def _carrying(clause: Clause, silent: dict[int, Clause]) -> Clause:
    """Say behind an entity what the silenced look-up that lists it was narrowed down to."""
    for argument in clause.call.provenance:
        source = silent.get(argument.source_step) if argument.source_step is not None else None
        if source is None or argument.path not in clause.texts:
            continue
        narrowed = [
            source.texts[item.path]
            for item in source.call.provenance
            if item.source == "result" and item.path in source.texts
        ]
        said = clause.texts[argument.path].casefold()
        if narrowed and narrowed[0].casefold() not in said and said not in narrowed[0].casefold():
            clause = clause.carrying(argument.path, f"of {narrowed[0]}")
    return clause


def _left_over(silent: list[Clause], text: str) -> list[tuple[PlannedArgument, str]]:
    """Return what the silenced clauses said and the text does not, each with a sentence for it."""
    return [
        (argument, f"the {words_of(argument.path)} is {clause.texts[argument.path]}")
        for clause in silent
        for argument in clause.call.provenance
        if argument.source == "user"
        and argument.path in clause.texts
        and not mentions(text, argument.value)
    ]


def ambiguity(turn: Turn, history: str, rng: random.Random) -> Refinement | None:
    """Leave one required value unsaid; the user gives it when asked."""
    choices = [
        (index, argument)
        for index, clause in enumerate(turn.clauses)
        for argument in clause.call.provenance
        if _can_be_kept_back(clause, argument, turn, history)
    ]
    if not choices:
        return None
    index, argument = rng.choice(choices)
    clauses = list(turn.clauses)
    clauses[index] = clauses[index].without(argument.path)
    topic = words_of(argument.path)
    disclosure = Disclosure(
        step=clauses[index].call.step,
        path=argument.path,
        topic=topic,
        value=argument.value,
        answer=f"The {topic} should be {spellings(argument.value)[0]}.",
    )
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


def goal_expansion(turn: Turn, domain: str, rng: random.Random) -> Refinement | None:
    """Say what the request is for, as people do before they ask."""
    if turn.aside or turn.number:
        return None
    motive = rng.choice(_MOTIVES[domain])
    return Refinement(replace(turn, aside=motive), f"It now begins with the goal: {motive!r}")
