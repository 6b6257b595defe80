"""The invariants of a query: no internal id, no tool name, and every value can be found."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from envfactory_assets.records.queries import Disclosure, PlannedArgument, PlannedCall
from envfactory_assets.stages.queries.wording import mentions
from sandboxes.core.canonical import canonical_json
from sandboxes.core.catalog import Catalog
from sandboxes.core.json_paths import leaves_at, text_leaves
from sandboxes.core.parameters import JsonObject

_SESSION_ID = re.compile(r"\b[A-Z]{1,8}-\d+\b")
_MAX_LENGTH = 1200


@dataclass(frozen=True, slots=True)
class QueryContext:
    """What is known when a turn is spoken.

    Attributes:
        history: What the user said in earlier turns, and what was disclosed in them.
        results: What every planned call of the task returns, by step.
        internal_ids: Values that only a tool can give.
        tool_names: Names that no user says.
        used_before: For each step the values that earlier steps took from results.
    """

    history: str
    results: Sequence[JsonObject]
    internal_ids: frozenset[str]
    tool_names: frozenset[str]
    used_before: Mapping[int, tuple[JsonValue, ...]]


def violations(
    text: str,
    calls: Iterable[PlannedCall],
    disclosures: Sequence[Disclosure],
    context: QueryContext,
) -> list[str]:
    """Return what is wrong with the text of a turn, as sentences; none when it holds.

    What the user does needs no mention: the user knows what it is about.

    Args:
        text: The request.
        calls: The planned calls of the turn.
        disclosures: What the user may say when asked in this turn.
        context: What is known when it is spoken.
    """
    found: list[str] = []
    if not text.strip() or len(text) > _MAX_LENGTH:
        found.append(f"The text has {len(text)} characters; 1 to {_MAX_LENGTH} are allowed.")
    words = set(re.findall(r"[\w-]+", text))
    found += [f"It says the internal id {name!r}." for name in sorted(words & context.internal_ids)]
    found += [f"It names the tool {name!r}." for name in sorted(words & context.tool_names)]
    heard = f"{text}\n{context.history}"
    for call in calls:
        if call.actor == "user":
            continue
        seen = context.results[: call.step]
        found += [
            f"Step {call.step} takes {argument.path} from a list, and nobody says which."
            for argument in call.provenance
            if argument.source == "result"
            and not _is_pointed_at(argument, heard, call.step, context)
        ]
        found += [
            f"Step {call.step} needs {argument.path} = {argument.value!r}, which nobody says."
            for argument in call.provenance
            if argument.source == "user"
            and not mentions(heard, argument.value)
            and not _is_seen(argument.value, seen)
            and not _is_disclosed(call.step, argument.path, disclosures)
        ]
    return found


def internal_ids_of(
    scenario: JsonObject,
    calls: Sequence[PlannedCall],
    results: Sequence[JsonObject],
    catalog: Catalog,
) -> frozenset[str]:
    """Return every value of a task that only a tool can give.

    These are the ids that sessions give out, in the scenario and in the results, and every value
    that stands where a tool declares an identifier that people do not say.
    """
    text = canonical_json([scenario, *results])
    found = set(_SESSION_ID.findall(text))
    for call, result in zip(calls, results, strict=True):
        for leaf in catalog.tools[call.tool].outputs:
            if leaf.identifier and not leaf.speakable:
                found |= {str(value) for _, value in leaves_at(result, leaf.path)}
    return frozenset(found)


def _is_pointed_at(argument: PlannedArgument, heard: str, step: int, context: QueryContext) -> bool:
    """Return whether the one entity among several can be told from what was said."""
    if any(way.kind == "only" for way in argument.referents):
        return True
    if argument.value in context.used_before.get(step, ()):
        return True
    spoken = heard.casefold()
    return any(way.text.casefold() in spoken for way in argument.referents)


def _is_seen(value: JsonValue, results: Sequence[JsonObject]) -> bool:
    return any(value == leaf for result in results for _, leaf in text_leaves(result))


def _is_disclosed(step: int, path: str, disclosures: Sequence[Disclosure]) -> bool:
    return any(item.step == step and item.path == path for item in disclosures)
