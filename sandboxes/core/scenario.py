"""Scenarios: the initial states of a session, its start and the seed that drew them."""

import json
import random
from collections.abc import Sequence
from functools import cached_property
from typing import Self, cast

from pydantic import BaseModel, ConfigDict, JsonValue

from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog
from sandboxes.core.world import World


class Scenario(BaseModel):
    """Where a session starts.

    Attributes:
        seed: What the world and the states were drawn from.
        start: The moment at which the session starts.
        states: The initial state of every environment, by id.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    seed: int
    start: str
    states: dict[str, dict[str, JsonValue]]

    @classmethod
    def draw(cls, catalog: Catalog, environment_ids: Sequence[str], seed: int) -> Self:
        """Draw the scenario of a session; the same seed gives the same scenario.

        An environment's state does not depend on which other environments are drawn with it.

        Raises:
            UnknownEnvironmentError: If the catalog lacks one of the environments.
        """
        world = World.draw(seed)
        states = {
            environment_id: catalog.load(environment_id)
            .scenario(world, random.Random(f"{environment_id}:{seed}"))
            .as_json()
            for environment_id in environment_ids
        }
        return cls(seed=seed, start=world.now, states=states)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The JSON text of every state, which sessions are opened from."""
        return {key: json.dumps(state) for key, state in self.states.items()}

    @cached_property
    def hash(self) -> str:
        """SHA-256 (hex) of the whole scenario."""
        return content_hash(cast("JsonValue", self.model_dump(mode="json")))
