"""Dataset files: conversational JSONL for SFT trainers, JSONL and verl's Parquet rows for RL.

Values of variable shape go into Parquet as JSON text: an Arrow struct would be padded with nulls,
and a model would be trained on them (verl issue 4112).
"""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar, cast

from pydantic import JsonValue

from envfactory_assets.records.datasets import PreferencePair, RefusalTask, RlTask, SftExample
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.datasets.parquet_file import write_parquet

_Row = TypeVar("_Row", SftExample, RlTask, PreferencePair, RefusalTask)

AGENT_NAME = "envfactory_agent"
DATA_SOURCE = "envfactory"
_ENDINGS = frozenset({".jsonl", ".parquet", ".partial"})


def write_sft(examples: Sequence[SftExample], folder: Path) -> list[Path]:
    """Write `sft_<split>.jsonl`, one conversation a line, and return the paths.

    A line has `messages` and `tools` (chat-completions form, arguments as objects) and the ids.
    TRL and LLaMA-Factory read it as it is.
    """
    paths = [
        _write_lines(folder / f"sft_{split}.jsonl", (_sft_line(row) for row in rows))
        for split, rows in _by_split(examples).items()
    ]
    _remove_others(folder, paths)
    return paths


def write_rl(tasks: Sequence[RlTask], folder: Path) -> list[Path]:
    """Write `rl_<split>.jsonl` (rows of the table) and `verl_<split>.parquet`; return the paths."""
    paths: list[Path] = []
    for split, rows in _by_split(tasks).items():
        lines = (cast("JsonObject", row.model_dump(mode="json")) for row in rows)
        paths.append(_write_lines(folder / f"rl_{split}.jsonl", lines))
        numbered = [verl_row(row, index) for index, row in enumerate(rows)]
        paths.append(write_parquet(folder / f"verl_{split}.parquet", numbered))
    _remove_others(folder, paths)
    return paths


def write_preferences(pairs: Sequence[PreferencePair], folder: Path) -> list[Path]:
    """Write `preference_<split>.jsonl`, one pair a line, and return the paths.

    A line has `prompt`, `chosen`, `rejected` (messages, arguments as objects) and `tools`, as
    TRL's DPO loader takes them, and the ids.
    """
    paths = [
        _write_lines(folder / f"preference_{split}.jsonl", (_preference_line(row) for row in rows))
        for split, rows in _by_split(pairs).items()
    ]
    _remove_others(folder, paths)
    return paths


def write_refusals(tasks: Sequence[RefusalTask], folder: Path) -> list[Path]:
    """Write `refusal_<split>.jsonl` (rows of the table) and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for split, rows in _by_split(tasks).items():
        lines = (cast("JsonObject", row.model_dump(mode="json")) for row in rows)
        paths.append(_write_lines(folder / f"refusal_{split}.jsonl", lines))
    _remove_others(folder, paths)
    return paths


def verl_row(task: RlTask, index: int) -> JsonObject:
    """Return a task as the row that a verl job reads, before it becomes Parquet.

    Its prompt is what was said; the calls and results of earlier turns stand in `history`.

    Args:
        task: The task.
        index: Its number in the file.
    """
    prompt = [
        {"role": str(message["role"]), "content": str(message["content"])}
        for message in task.prompt
        if message["role"] != "tool" and not message.get("tool_calls")
    ]
    session = {
        "environment_ids": list(task.environment_ids),
        "scenario": _text(task.scenario),
        "functions": _text(list(task.tools)),
        "history": _text(list(task.prompt)),
        "disclosures": _text(list(task.disclosures)),
        "user_actions": _text(list(task.user_actions)),
    }
    return {
        "data_source": DATA_SOURCE,
        "agent_name": AGENT_NAME,
        "prompt": cast("JsonValue", prompt),
        "ability": "tool_use",
        "reward_model": {"style": "rule", "ground_truth": _text(task.reference)},
        "extra_info": {
            "index": index,
            "split": task.split,
            "task_id": task.row_id,
            "need_tools_kwargs": True,
            "tools_kwargs": cast("JsonValue", session),
        },
    }


def _by_split(rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row.split, []).append(row)
    return dict(sorted(found.items()))


def _sft_line(row: SftExample) -> JsonObject:
    return {
        "example_id": row.example_id,
        "domain": row.domain,
        "messages": [_with_argument_objects(message) for message in row.messages],
        "tools": list(row.tools),
    }


def _preference_line(row: PreferencePair) -> JsonObject:
    sides = {"prompt": row.prompt, "chosen": row.chosen, "rejected": row.rejected}
    return {
        "pair_id": row.pair_id,
        "domain": row.domain,
        **{name: [_with_argument_objects(item) for item in side] for name, side in sides.items()},
        "tools": list(row.tools),
        "margin": round(row.margin, 6),
    }


def _with_argument_objects(message: JsonObject) -> JsonObject:
    """Return a message whose tool calls hold their arguments as an object, not as text."""
    calls = cast("list[JsonObject]", message.get("tool_calls") or [])
    if not calls:
        return message
    opened: list[JsonValue] = []
    for call in calls:
        function = cast("JsonObject", call["function"])
        arguments = json.loads(str(function["arguments"]))
        opened.append({**call, "function": {**function, "arguments": arguments}})
    return {**message, "tool_calls": opened}


def _remove_others(folder: Path, paths: Sequence[Path]) -> None:
    """Remove files of splits that no row is in any more, so that nobody trains on them."""
    for path in set(folder.glob("*")) - set(paths):
        if path.suffix in _ENDINGS:
            path.unlink()


def _text(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _write_lines(path: Path, lines: Iterable[JsonObject]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    with temporary.open("w", encoding="utf-8") as file:
        file.writelines(_text(line) + "\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return path
