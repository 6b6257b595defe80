"""Files for LLaMA-Factory: conversations as messages and as alpaca rows, and `dataset_info.json`.

Its loader pads structs of different shape with nulls, so every value here is a text or a list of
texts: the calls of a message and the tools are JSON text, as it documents them. It learns every
answer of a conversation, those in `history` included.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.datasets import SftExample
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.datasets.json_lines import (
    json_text,
    with_argument_objects,
    write_lines,
)

INFO_FILE = "dataset_info.json"
PREFIX = "envfactory"
_CALLS, _RESULT = "function_call", "tool"
_OF_THE_OTHERS, _OF_THE_MODEL = ("user", _RESULT), ("assistant", _CALLS)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What the model is told, and what it answers."""

    role: str
    told: str
    answer_role: str
    answer: str


def write_llama_factory(splits: Mapping[str, Sequence[SftExample]], folder: Path) -> list[Path]:
    """Write `openai_<split>.jsonl`, `alpaca_<split>.jsonl` and `dataset_info.json`.

    The folder is what LLaMA-Factory calls `dataset_dir`; its datasets are `envfactory_<form>_<split>`.
    A conversation that does not alternate between the model and the others has no such form and
    is left out.

    Args:
        splits: The conversations by split.
        folder: Where to; files of other splits in it are removed.
    """
    paths: list[Path] = []
    info: dict[str, JsonValue] = {}
    for split, examples in splits.items():
        for form, row, description in (
            ("openai", openai_row, _openai_description),
            ("alpaca", alpaca_row, _alpaca_description),
        ):
            rows = [found for example in examples if (found := row(example)) is not None]
            path = write_lines(folder / f"{form}_{split}.jsonl", rows)
            paths.append(path)
            info[f"{PREFIX}_{form}_{split}"] = description(path.name)
    for path in set(folder.glob("*.jsonl")) - set(paths):
        path.unlink()
    temporary = folder / f"{INFO_FILE}.partial"
    temporary.write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
    return [*paths, temporary.replace(folder / INFO_FILE)]


def openai_row(example: SftExample) -> JsonObject | None:
    """Return a conversation as messages of role and content, or None if it has no such form.

    A message of calls has the role `function_call` and their JSON text as its content; what the
    model said beside them has no place there and is left out.
    """
    exchanges = _exchanges(example)
    if exchanges is None:
        return None
    system = _system(example)
    messages = [{"role": "system", "content": system}] if system else []
    for item in exchanges:
        messages.append({"role": item.role, "content": item.told})
        messages.append({"role": item.answer_role, "content": item.answer})
    return {"messages": cast("JsonValue", messages), "tools": _tools(example)}


def alpaca_row(example: SftExample) -> JsonObject | None:
    """Return a conversation as instruction, output and history, or None if it has no such form.

    Calls and results stand in the tags that Qwen and Hermes models write them in.
    """
    exchanges = _exchanges(example)
    if exchanges is None:
        return None
    *earlier, last = [(_told_in_tags(item), _answer_in_tags(item)) for item in exchanges]
    return {
        "instruction": last[0],
        "input": "",
        "output": last[1],
        "system": _system(example),
        "history": [list(pair) for pair in earlier],
        "tools": _tools(example),
    }


def _exchanges(example: SftExample) -> list[_Exchange] | None:
    found: list[tuple[str, str]] = []
    for message in example.messages:
        role = str(message["role"])
        if role == "system":
            continue
        calls = cast("list[JsonObject]", with_argument_objects(message).get("tool_calls") or [])
        if calls:
            made = [cast("JsonObject", call["function"]) for call in calls]
            named = [{"name": call["name"], "arguments": call["arguments"]} for call in made]
            found.append((_CALLS, json.dumps(named, ensure_ascii=False)))
        else:
            found.append((role, str(message["content"])))
    others, model = found[::2], found[1::2]
    alternates = all(role in _OF_THE_OTHERS for role, _ in others) and all(
        role in _OF_THE_MODEL for role, _ in model
    )
    if not found or len(others) != len(model) or not alternates:
        return None
    return [_Exchange(*one, *other) for one, other in zip(others, model, strict=True)]


def _told_in_tags(item: _Exchange) -> str:
    if item.role != _RESULT:
        return item.told
    return f"<tool_response>\n{item.told}\n</tool_response>"


def _answer_in_tags(item: _Exchange) -> str:
    if item.answer_role != _CALLS:
        return item.answer
    calls = [json.dumps(call, ensure_ascii=False) for call in json.loads(item.answer)]
    return "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls)


def _system(example: SftExample) -> str:
    first = example.messages[0] if example.messages else {}
    return str(first["content"]) if first.get("role") == "system" else ""


def _tools(example: SftExample) -> str:
    return json_text(list(example.tools))


def _openai_description(file: str) -> JsonObject:
    return {
        "file_name": file,
        "formatting": "sharegpt",
        "columns": {"messages": "messages", "tools": "tools"},
        "tags": {
            "role_tag": "role",
            "content_tag": "content",
            "user_tag": "user",
            "assistant_tag": "assistant",
            "observation_tag": _RESULT,
            "function_tag": _CALLS,
            "system_tag": "system",
        },
    }


def _alpaca_description(file: str) -> JsonObject:
    return {
        "file_name": file,
        "formatting": "alpaca",
        "columns": {
            "prompt": "instruction",
            "query": "input",
            "response": "output",
            "system": "system",
            "history": "history",
            "tools": "tools",
        },
    }
