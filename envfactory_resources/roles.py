"""The roles of a profile: for each one the implementation that plays it."""

from dataclasses import dataclass

from envfactory_assets.stages.queries.drafting import QueryWriter, RuleQueryWriter
from envfactory_assets.stages.queries.refinement import Refiner, RuleRefiner
from envfactory_assets.stages.tool_graphs.labels import ParameterLabeller, RuleLabeller
from envfactory_assets.stages.tool_graphs.review import GraphReviewer, RuleReviewer
from envfactory_assets.stages.trajectories.simulated_user import RuleUser, SimulatedUser
from envfactory_resources.errors import UnsupportedRoleError
from envfactory_resources.profiles import Profile, Role


@dataclass(frozen=True, slots=True)
class Roles:
    """Who plays what in a run."""

    labeller: ParameterLabeller
    reviewer: GraphReviewer
    writer: QueryWriter
    refiner: Refiner
    user: SimulatedUser


def roles_of(profile: Profile) -> Roles:
    """Return the implementations that a profile asks for.

    Raises:
        UnsupportedRoleError: If it asks for one that does not exist.
    """
    for role, implementation in profile.roles.items():
        if implementation == "model" and role not in _PLAYED_BY_MODELS:
            able = ", ".join(_PLAYED_BY_MODELS) or "none"
            raise UnsupportedRoleError(
                f"Profile {profile.name!r} asks for a model as {role.value}; roles that a model "
                f"can play: {able}. Set {role.value} to 'rules'."
            )
    writer = RuleQueryWriter()
    return Roles(
        labeller=RuleLabeller(),
        reviewer=RuleReviewer(),
        writer=writer,
        refiner=RuleRefiner(profile.queries, writer),
        user=RuleUser(),
    )


_PLAYED_BY_MODELS: tuple[Role, ...] = ()
