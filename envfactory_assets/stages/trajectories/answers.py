"""What the rule-based teacher tells the user at the end of a turn."""

from collections.abc import Sequence

from pydantic import JsonValue

from envfactory_assets.records.queries import PlannedCall
from envfactory_assets.stages.queries.wording import join_words, spellings, words_of
from sandboxes.core.catalog import Catalog
from sandboxes.core.json_paths import leaves_at
from sandboxes.core.parameters import JsonObject
from sandboxes.core.tool import Tool

_MOST_NAMES = 3
_MOST_FACTS = 3


def answer_for(done: Sequence[tuple[PlannedCall, JsonObject]], catalog: Catalog) -> str:
    """Return a short report of what the calls of a turn did and found, without ids."""
    if not done:
        return "I could not do that."
    last_reads = [item for item in done if item[0].effect == "read"][-1:]
    writes = [item for item in done if item[0].effect == "write"]
    sentences = [_report(catalog.tools[call.tool], result) for call, result in writes or last_reads]
    return " ".join(sentences)


def _report(tool: Tool, result: JsonObject) -> str:
    facts = _facts(tool, result)
    if tool.effect == "write":
        done = f"Done: {tool.name.replace('_', ' ')}"
        return f"{done} ({', '.join(facts)})." if facts else f"{done}."
    names = _names(tool, result)
    if names:
        return f"I found {join_words(names)}."
    return f"Here is what I found: {', '.join(facts)}." if facts else "I found nothing."


def _names(tool: Tool, result: JsonObject) -> list[str]:
    for leaf in tool.outputs:
        found = leaves_at(result, leaf.path)
        if leaf.is_label and leaf.is_list and found:
            names = [str(value) for _, value in found]
            more = len(names) - _MOST_NAMES
            return names[:_MOST_NAMES] + ([f"{more} more"] if more > 0 else [])
    return []


def _facts(tool: Tool, result: JsonObject) -> list[str]:
    facts: list[str] = []
    for leaf in tool.outputs:
        if leaf.is_list or (leaf.identifier and not leaf.speakable):
            continue
        for _, value in leaves_at(result, leaf.path):
            facts.append(f"{words_of(leaf.path)}: {_short(value)}")
    return facts[:_MOST_FACTS]


def _short(value: JsonValue) -> str:
    text = spellings(value)[0]
    return text if len(text) <= 80 else f"{text[:77]}…"
