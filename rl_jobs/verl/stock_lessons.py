"""What a model with a chat template of its own learns from."""

from collections.abc import Iterable

from envfactory_assets.records.datasets import SftExample
from envfactory_assets.records.record import JsonObject
from rl_jobs.trl.dialect import with_objects


def stock_lessons(
    examples: Iterable[SftExample],
) -> list[tuple[list[JsonObject], tuple[JsonObject, ...]]]:
    """Return conversations as chat templates take them, each with its tools."""
    return [([with_objects(message) for message in row.messages], row.tools) for row in examples]
