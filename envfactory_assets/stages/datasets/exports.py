"""Dataset files: for TRL, verl and LLaMA-Factory, conversations; for RL, tasks; and pairs.

Values of variable shape go into Parquet as JSON text: an Arrow struct would be padded with nulls,
and a model would be trained on them (verl issue 4112).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar, cast

from pydantic import JsonValue

from envfactory_assets.records.datasets import PreferencePair, RefusalTask, RlTask, SftExample
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.datasets.json_lines import (
    json_text,
    with_argument_objects,
    write_lines,
)
from envfactory_assets.stages.datasets.llama_factory import write_llama_factory
from envfactory_assets.stages.datasets.parquet_file import write_parquet

_Row = TypeVar("_Row", SftExample, RlTask, PreferencePair, RefusalTask)

AGENT_NAME = "envfactory_agent"
DATA_SOURCE = "envfactory"
_ENDINGS = frozenset({".jsonl", ".parquet", ".partial"})


def write_sft(examples: Sequence[SftExample], folder: Path) -> list[Path]:
    """Write the conversations in the form of every SFT trainer, and return the paths.

    `sft_<split>.jsonl` (TRL): a line has `messages` and `tools` (chat-completions form, arguments
    as objects) and the ids. `verl_sft_<split>.parquet`: the same with both as JSON text.
    `llama_factory/`: see `llama_factory`.
    """
    splits = _by_split(examples)
    paths: list[Path] = []
    for split, rows in splits.items():
        lines = [_sft_line(row) for row in rows]
        paths.append(write_lines(folder / f"sft_{split}.jsonl", lines))
        texts = [verl_sft_row(row) for row in rows]
        paths.append(write_parquet(folder / f"verl_sft_{split}.parquet", texts))
    _remove_others(folder, paths)
    return [*paths, *write_llama_factory(splits, folder / "llama_factory")]


def write_rl(tasks: Sequence[RlTask], folder: Path) -> list[Path]:
    """Write `rl_<split>.jsonl` (rows of the table) and `verl_<split>.parquet`; return the paths."""
    paths: list[Path] = []
    for split, rows in _by_split(tasks).items():
        lines = (cast("JsonObject", row.model_dump(mode="json")) for row in rows)
        paths.append(write_lines(folder / f"rl_{split}.jsonl", lines))
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
        write_lines(folder / f"preference_{split}.jsonl", (_preference_line(row) for row in rows))
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
        paths.append(write_lines(folder / f"refusal_{split}.jsonl", lines))
    _remove_others(folder, paths)
    return paths


def verl_sft_row(example: SftExample) -> JsonObject:
    """Return a conversation as the row that verl's SFT job reads, before it becomes Parquet."""
    line = _sft_line(example)
    return {
        "example_id": example.example_id,
        "domain": example.domain,
        "messages": json_text(line["messages"]),
        "tools": json_text(line["tools"]),
    }


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
        "scenario": json_text(task.scenario),
        "functions": json_text(list(task.tools)),
        "history": json_text(list(task.prompt)),
        "disclosures": json_text(list(task.disclosures)),
        "user_actions": json_text(list(task.user_actions)),
    }
    return {
        "data_source": DATA_SOURCE,
        "agent_name": AGENT_NAME,
        "prompt": cast("JsonValue", prompt),
        "ability": "tool_use",
        "reward_model": {"style": "rule", "ground_truth": json_text(task.reference)},
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
        "messages": [with_argument_objects(message) for message in row.messages],
        "tools": list(row.tools),
    }


def _preference_line(row: PreferencePair) -> JsonObject:
    sides = {"prompt": row.prompt, "chosen": row.chosen, "rejected": row.rejected}
    return {
        "pair_id": row.pair_id,
        "domain": row.domain,
        **{name: [with_argument_objects(item) for item in side] for name, side in sides.items()},
        "tools": list(row.tools),
        "margin": round(row.margin, 6),
    }


def _remove_others(folder: Path, paths: Sequence[Path]) -> None:
    """Remove files of splits that no row is in any more, so that nobody trains on them."""
    for path in set(folder.glob("*")) - set(paths):
        if path.suffix in _ENDINGS:
            path.unlink()
