"""The scenario planner: who asks, what for, and what the scenario says about it."""

from dataclasses import dataclass
from typing import Protocol

from envfactory_assets.stages.queries.binding import BoundTask
from sandboxes.core.catalog import Catalog
from sandboxes.core.world import World


@dataclass(frozen=True, slots=True)
class ScenarioPlan:
    """A bound task with somebody who wants it.

    Attributes:
        task: The task, on the scenario as the plan leaves it.
        persona: Who asks.
        story: What it is all for, over all turns; empty where nobody told one.
        notes: Adjustments of the scenario, and what was proposed and refused, one sentence each.
    """

    task: BoundTask
    persona: str
    story: str = ""
    notes: tuple[str, ...] = ()


class ScenarioPlanner(Protocol):
    """The role that finds the person and the story behind a chain."""

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    @property
    def max_concurrency(self) -> int:
        """How many tasks may be planned at once."""
        ...

    def plan(self, task: BoundTask, catalog: Catalog) -> ScenarioPlan:
        """Return the plan of a bound task; its calls stay what they are.

        Raises:
            LanguageModelError: If a model plays the role and cannot be reached.
        """
        ...


class RulePlanner:
    """Takes the user of the scenario's world, and the scenario as it was drawn."""

    made_by = "scenario_planner:rules"
    max_concurrency = 1

    def plan(self, task: BoundTask, catalog: Catalog) -> ScenarioPlan:
        """Return the plan of a bound task; its calls stay what they are."""
        del catalog
        return ScenarioPlan(task, persona_of(task))


def persona_of(task: BoundTask) -> str:
    """Return who asks: the user of the scenario's world."""
    user = World.draw(task.scenario.seed).user
    return f"{user.name}, {user.job} in {user.city}"
