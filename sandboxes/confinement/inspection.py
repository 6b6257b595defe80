"""A look at an environment that nobody has reviewed: its tools and some initial states."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sandboxes.confinement.loading import load_confined
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.parameters import JsonObject
from sandboxes.core.world import World


@dataclass(frozen=True, slots=True)
class Inspection:
    """What an environment shows of itself.

    Attributes:
        tools: Name on the wire, effect, description and both schemas of every tool.
        states: The initial state of each seed's scenario.
    """

    tools: tuple[JsonObject, ...]
    states: dict[int, JsonObject]


def inspect(source: EnvironmentSource, seeds: Sequence[int]) -> Inspection:
    """Return the tools of an environment and the states that some seeds start from.

    Raises:
        EnvironmentSourceError: If it does not load.
        EnvironmentFaultError: If it cannot draw a scenario.
        ConfinementUnavailableError: If nothing on this machine can confine it.
    """
    environment = load_confined(source)
    states = {
        seed: environment.scenario(
            World.draw(seed), random.Random(f"{source.environment_id}:{seed}")
        ).as_json()
        for seed in seeds
    }
    tools = [json.loads(tool.schema_text()) for tool in environment.tools.values()]
    return Inspection(tuple(cast("list[JsonObject]", tools)), states)
