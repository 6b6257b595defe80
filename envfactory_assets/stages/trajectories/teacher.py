"""The teacher: the role that attempts every task several times."""

from collections.abc import Sequence
from typing import Protocol

from envfactory_assets.records.queries import Disclosure, RefinedQuery
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import SimulatedUser
from envfactory_assets.stages.trajectories.user_actions import planned_actions
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.world import World


class Teacher(Protocol):
    """Attempts a task in several ways, each in a session of its own."""

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    @property
    def max_concurrency(self) -> int:
        """How many attempts may run at once."""
        ...

    def policies(self, task_id: str, settings: TrajectorySettings) -> list[str]:
        """Return the names of the K ways in which a task is attempted."""
        ...

    def attempt(
        self,
        queries: Sequence[RefinedQuery],
        policy: str,
        catalog: Catalog,
        user: SimulatedUser,
        settings: TrajectorySettings,
    ) -> Conversation:
        """Attempt a task in one of these ways and return the conversation.

        An attempt that cannot be kept, whatever it earns, says so in its `fault`.

        Raises:
            LanguageModelError: If a model plays the role and cannot be reached.
        """
        ...


def begin_task(
    queries: Sequence[RefinedQuery], catalog: Catalog, user: SimulatedUser
) -> Conversation:
    """Open a session and a conversation on a task's scenario, before its first turn."""
    scenario = Scenario.model_validate(queries[0].scenario)
    user_name = World.draw(scenario.seed).user.name
    actions = planned_actions(queries, catalog)
    return Conversation.begin(scenario, catalog, user_name, user, actions)


def request_of(
    query: RefinedQuery, settings: TrajectorySettings
) -> tuple[str, tuple[Disclosure, ...]]:
    """Return what the user says in a turn, and what it keeps back until asked."""
    if settings.mode == "conversational":
        return query.refined_text, query.disclosures
    facts = [item.answer for item in query.disclosures]
    return " ".join([query.refined_text, *facts]), ()
