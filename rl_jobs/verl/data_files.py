"""The Parquet files that verl reads: every value of variable shape is JSON text in them."""

from collections.abc import Sequence
from pathlib import Path

from envfactory_assets.records.datasets import RlTask
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.datasets.exports import verl_row
from envfactory_assets.stages.datasets.parquet_file import write_parquet
from sandboxes.core.canonical import canonical_json


def write_tasks(path: Path, tasks: Sequence[RlTask]) -> Path:
    """Write tasks as the rows of verl's RL data set and return the path."""
    return write_parquet(path, [verl_row(task, index) for index, task in enumerate(tasks)])


def write_conversations(
    path: Path, conversations: Sequence[tuple[Sequence[JsonObject], Sequence[JsonObject]]]
) -> Path:
    """Write conversations as the rows that `JsonConversations` reads, and return the path.

    Args:
        path: The file.
        conversations: Messages as the chat template takes them, and the tools.
    """
    rows: list[JsonObject] = [
        {"messages": canonical_json(list(messages)), "tools": canonical_json(list(tools))}
        for messages, tools in conversations
    ]
    return write_parquet(path, rows)
