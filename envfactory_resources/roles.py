"""The roles of a profile: for each one the implementation that plays it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envfactory_assets.stages.attempts.authors import Coder, Tester
from envfactory_assets.stages.attempts.builder.coder import RuleCoder
from envfactory_assets.stages.attempts.confined_verifier import ConfinedVerifier
from envfactory_assets.stages.attempts.model_coder import ModelCoder
from envfactory_assets.stages.attempts.model_tester import ModelTester
from envfactory_assets.stages.attempts.rule_tester import RuleTester
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.proposals.model_researcher import ModelResearcher
from envfactory_assets.stages.proposals.researcher import Researcher, RuleResearcher
from envfactory_assets.stages.queries.model_planner import ModelPlanner
from envfactory_assets.stages.queries.model_refiner import ModelRefiner
from envfactory_assets.stages.queries.model_writer import ModelQueryWriter
from envfactory_assets.stages.queries.planner import RulePlanner, ScenarioPlanner
from envfactory_assets.stages.queries.refinement import Refiner, RuleRefiner
from envfactory_assets.stages.queries.writer import QueryWriter, RuleQueryWriter
from envfactory_assets.stages.tool_graphs.labels import ParameterLabeller, RuleLabeller
from envfactory_assets.stages.tool_graphs.model_labeller import ModelLabeller
from envfactory_assets.stages.tool_graphs.model_reviewer import ModelReviewer
from envfactory_assets.stages.tool_graphs.review import GraphReviewer, RuleReviewer
from envfactory_assets.stages.trajectories.judge import Judge, RuleJudge
from envfactory_assets.stages.trajectories.model_judge import ModelJudge
from envfactory_assets.stages.trajectories.model_teacher import ModelTeacher
from envfactory_assets.stages.trajectories.model_user import ModelUser
from envfactory_assets.stages.trajectories.simulated_user import RuleUser, SimulatedUser
from envfactory_assets.stages.trajectories.solvers import RuleTeacher
from envfactory_assets.stages.trajectories.teacher import Teacher
from envfactory_resources.clients.language_model.language_model import LanguageModel
from envfactory_resources.clients.language_model.usage import RoleUsage
from envfactory_resources.clients.web_search.command_search import CommandSearch
from envfactory_resources.clients.web_search.errors import SearchSettingsError
from envfactory_resources.clients.web_search.folder_search import FolderSearch
from envfactory_resources.clients.web_search.remembered_search import RememberedSearch
from envfactory_resources.clients.web_search.web_search import WebSearch
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.home import Home
from envfactory_resources.language_model import language_model_of
from envfactory_resources.profiles import Profile, Role


@dataclass(frozen=True, slots=True)
class Roles:
    """Who plays what in a run.

    Attributes:
        model: The model behind the roles that one plays, with its usage ledger; None where rules
            play all of them.
    """

    researcher: Researcher
    coder: Coder
    tester: Tester
    labeller: ParameterLabeller
    reviewer: GraphReviewer
    planner: ScenarioPlanner
    writer: QueryWriter
    refiner: Refiner
    teacher: Teacher
    user: SimulatedUser
    judge: Judge
    model: LanguageModel | None = None

    def token_usage(self) -> dict[str, RoleUsage]:
        """Return what each role has asked of the model so far; empty where rules play all."""
        return {} if self.model is None else self.model.ledger.by_role()


def roles_of(profile: Profile, variables: Mapping[str, str] | None = None) -> Roles:
    """Return the implementations that a profile asks for.

    Args:
        profile: Says who plays what.
        variables: Hold the key and the home; by default the environment as it is now.

    Raises:
        ConfigurationError: If a model plays a role and its endpoint or key is missing.
    """
    if "model" not in profile.roles.values():
        return _played_by_rules(profile)
    variables = os.environ if variables is None else variables
    model = language_model_of(profile, variables)
    rules = _played_by_rules(profile)

    def is_model(role: Role) -> bool:
        return profile.plays(role) == "model"

    return Roles(
        researcher=(
            ModelResearcher(
                ModelRole(model, "researcher", max_tokens=16_000), _search_of(profile, variables)
            )
            if is_model(Role.RESEARCHER)
            else rules.researcher
        ),
        coder=(
            ModelCoder(ModelRole(model, "coder", profile.generation.coder_max_tokens))
            if is_model(Role.CODER)
            else rules.coder
        ),
        tester=(
            ModelTester(
                ModelRole(model, "tester", profile.generation.tester_max_tokens),
                profile.generation,
            )
            if is_model(Role.TESTER)
            else rules.tester
        ),
        labeller=ModelLabeller(model) if is_model(Role.PARAMETER_LABELLER) else rules.labeller,
        reviewer=ModelReviewer(model) if is_model(Role.GRAPH_REVIEWER) else rules.reviewer,
        planner=ModelPlanner(model) if is_model(Role.SCENARIO_PLANNER) else rules.planner,
        writer=ModelQueryWriter(model) if is_model(Role.QUERY_WRITER) else rules.writer,
        refiner=ModelRefiner(profile.queries, model) if is_model(Role.REFINER) else rules.refiner,
        teacher=ModelTeacher(model) if is_model(Role.TEACHER) else rules.teacher,
        user=ModelUser(model) if is_model(Role.USER) else rules.user,
        judge=ModelJudge(model) if is_model(Role.JUDGE) else rules.judge,
        model=model,
    )


def _played_by_rules(profile: Profile) -> Roles:
    return Roles(
        researcher=RuleResearcher(),
        coder=RuleCoder(),
        tester=RuleTester(ConfinedVerifier()),
        labeller=RuleLabeller(),
        reviewer=RuleReviewer(),
        planner=RulePlanner(),
        writer=RuleQueryWriter(),
        refiner=RuleRefiner(profile.queries),
        teacher=RuleTeacher(),
        user=RuleUser(),
        judge=RuleJudge(),
    )


def _search_of(
    profile: Profile, variables: Mapping[str, str]
) -> WebSearch | Literal["endpoint"] | None:
    """Return what the researcher searches with: answers are kept, so that a rerun asks the same.

    Raises:
        ConfigurationError: If it is configured in a way that cannot work.
    """
    chosen = profile.search
    if chosen is None:
        has_own = profile.endpoint is not None and profile.endpoint.base_url is None
        return "endpoint" if has_own else None
    kept = Home.from_variables(variables).replies / "searches"
    try:
        if chosen.folder is not None:
            return FolderSearch(Path(chosen.folder).expanduser())
        search = CommandSearch(chosen.search_command, chosen.read_command)
    except SearchSettingsError as error:
        raise ConfigurationError(
            f"The search of profile {profile.name!r} cannot be used: {error}"
        ) from error
    return RememberedSearch(search, kept, " ".join(chosen.search_command))
