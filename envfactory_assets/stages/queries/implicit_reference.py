"""The refinement that points: at entities by what singles them out, at values by `the same`."""

import random
import re
from collections.abc import Iterable
from dataclasses import replace

from envfactory_assets.records.queries import PlannedArgument, ReferentKind
from envfactory_assets.stages.queries.drafting import Turn
from envfactory_assets.stages.queries.operations import Refinement
from envfactory_assets.stages.queries.phrasing import Clause, is_quoted, stands_free
from envfactory_assets.stages.queries.wording import words_of

_DATE_RANGE = re.compile(
    r"(?:from|between) \{(check_in|start\w*|from\w*|first\w*)\} (?:to|until|and) \{(\w+)\}"
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")
_LEAST_TELLING = 4


def implicit_reference(turn: Turn, earlier: list[Turn], rng: random.Random) -> Refinement | None:
    """Point at entities by what singles them out, and at repeated values by `the same`."""
    clauses = list(turn.clauses)
    changed: list[str] = []
    for index, clause in enumerate(clauses):
        if not clause.is_spoken:
            continue
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
            if argument.source == "user":
                text = _same_again(argument, clause, _spoken(earlier, ()))
            else:
                text = _pointed_at(argument, before, _kinds(argument, turn, earlier), rng)
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


def _kinds(argument: PlannedArgument, turn: Turn, earlier: Iterable[Turn]) -> set[ReferentKind]:
    """Return how an entity may be pointed at: a list that nobody asked for has no first item.

    And of a list that was narrowed down without a word nobody knows the cheapest item.
    """
    for where in (turn, *earlier):
        for clause in where.clauses:
            if clause.call.step != argument.source_step:
                continue
            if clause.is_spoken:
                return {"extremum", "position"} if where is turn else {"extremum"}
            is_narrowed = any(
                item.source == "user" and item.path in clause.texts
                for item in clause.call.provenance
            )
            return set() if is_narrowed and not where.ending else {"extremum"}
    return set()


def _pointed_at(
    argument: PlannedArgument,
    before: Iterable[Clause],
    kinds: set[ReferentKind],
    rng: random.Random,
) -> str | None:
    named = {
        str(item.value)
        for said in before
        for item in said.call.provenance
        if item.source == "result" and item.noun == argument.noun
    }
    if named == {str(argument.value)}:
        return f"that {argument.noun}"
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
