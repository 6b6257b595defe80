from dataclasses import fields

import pytest

from envfactory_assets.stages.queries.model_refiner import ModelRefiner
from envfactory_assets.stages.queries.refinement import RuleRefiner
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_assets.stages.trajectories.simulated_user import RuleUser
from envfactory_resources.clients.fake_messages.replies import StructuredReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.profiles import ModelEndpoint, Profile, Role, load_profile
from envfactory_resources.roles import roles_of

KEY = "sk-secret-0123456789"


def profile(*roles, **endpoint):
    return Profile(
        name="mine",
        roles=dict.fromkeys(roles, "model"),
        endpoint=ModelEndpoint(model="fake-1", **endpoint) if endpoint else None,
    )


def test_the_offline_profile_is_played_by_rules_and_needs_nothing():
    roles = roles_of(Profile(name="offline"), {})

    assert isinstance(roles.labeller, RuleLabeller)
    assert isinstance(roles.reviewer, RuleReviewer)
    assert isinstance(roles.refiner, RuleRefiner)
    assert isinstance(roles.user, RuleUser)
    assert roles.model is None
    assert roles.token_usage() == {}


def test_a_profile_decides_role_by_role():
    roles = roles_of(profile(Role.REFINER, base_url="http://localhost:8000"), {})

    assert isinstance(roles.refiner, ModelRefiner)
    assert isinstance(roles.labeller, RuleLabeller)
    assert roles.refiner.made_by == "refiner:fake-1"


def test_every_role_that_a_model_can_play_is_played_by_one():
    roles = roles_of(profile(*Role, base_url="http://localhost:8000"), {})

    players = {
        field.name: getattr(roles, field.name) for field in fields(roles) if field.name != "model"
    }
    assert {type(player).__name__[:5] for player in players.values()} == {"Model"}
    assert len({player.made_by for player in players.values()}) == len(players)


def test_the_anthropic_profile_without_a_key_says_which_variable_to_set():
    anthropic = load_profile({"ENVFACTORY_PROFILE": "anthropic"})
    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY is not set") as caught:
        roles_of(anthropic, {"ANTHROPIC_API_KEY": " "})

    assert "Profile 'anthropic' lets 'claude-sonnet-4-5' play roles" in str(caught.value)


def test_the_anthropic_profile_with_a_key_never_shows_it():
    anthropic = load_profile({"ENVFACTORY_PROFILE": "anthropic"})
    roles = roles_of(anthropic, {"ANTHROPIC_API_KEY": KEY})

    assert roles.labeller.made_by == "parameter_labeller:claude-sonnet-4-5"
    assert KEY not in repr(roles)


def test_a_model_without_an_endpoint_says_where_to_name_one():
    with pytest.raises(ConfigurationError, match=r"\[profiles\.mine\.endpoint\] with model = "):
        roles_of(profile(Role.USER), {"ANTHROPIC_API_KEY": KEY})


def test_an_address_that_cannot_work_names_the_profile():
    mine = profile(Role.USER, base_url="http://localhost:8000/v1")
    with pytest.raises(
        ConfigurationError, match=r"endpoint of profile 'mine' .* leave the '/v1' out"
    ):
        roles_of(mine, {})


@pytest.fixture
def tool():
    leaf = Leaf(
        tool="inn__find",
        environment_id="travel.inn",
        direction="input",
        path="city",
        name="city",
        type="string",
        description="City",
        required=True,
        enum=(),
    )
    return GraphTool("travel.inn", "inn__find", "find", "read", "Find inns.", (leaf,), ())


@pytest.fixture
def label_at(tool, tmp_path):
    """Label one tool through a profile whose endpoint is a fake; return roles and request."""

    def run(variables, **endpoint):
        label = {"tool": "inn__find", "parameter": "city", "source": "external", "reason": "said"}
        script = [ScriptLine(StructuredReply({"labels": [label]}))]
        with FakeMessages(script) as fake:
            mine = profile(Role.PARAMETER_LABELLER, base_url=fake.url, **endpoint)
            roles = roles_of(mine, {"ENVFACTORY_HOME": str(tmp_path), **variables})
            assert roles.labeller.label([tool])["inn__find", "city"].reason == "said"
            roles.model.close()
        return roles, fake.requests[0]

    return run


def test_a_server_of_ones_own_works_without_a_key_and_keeps_replies_under_the_home(
    label_at, tmp_path
):
    roles, request = label_at({})

    assert "x-api-key" not in request.headers
    assert roles.token_usage()["parameter_labeller"].call_count == 1
    assert len(list((tmp_path / "replies").rglob("*.json"))) == 1


def test_the_key_of_anthropic_is_not_sent_to_another_server(label_at):
    _, request = label_at({"ANTHROPIC_API_KEY": KEY})

    assert KEY not in str(request.headers)


def test_a_server_gets_the_key_whose_variable_is_named(label_at):
    _, request = label_at({"MY_KEY": KEY}, api_key_variable="MY_KEY")

    assert request.headers["x-api-key"] == KEY


def test_a_named_variable_that_is_not_set_is_an_error_even_with_a_server_of_ones_own():
    mine = profile(Role.USER, base_url="http://localhost:8000", api_key_variable="MY_KEY")
    with pytest.raises(ConfigurationError, match=r"MY_KEY is not set.*leave api_key_variable out"):
        roles_of(mine, {})


def test_who_plays_names_the_model_so_that_another_model_makes_other_rows():
    mine = profile(Role.REFINER, base_url="http://localhost:8000")

    assert mine.players(Role.REFINER, Role.USER) == {"refiner": "model:fake-1", "user": "rules"}


def test_a_profile_of_the_file_configures_roles_and_endpoint(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[profiles.mine]\nroles = { refiner = "model", user = "model" }\n'
        '[profiles.mine.endpoint]\nmodel = "qwen3"\nbase_url = "http://localhost:8000"\n'
    )
    mine = load_profile({"ENVFACTORY_PROFILE": "mine", "ENVFACTORY_CONFIG": str(path)})
    roles = roles_of(mine, {})

    assert (roles.refiner.made_by, roles.user.made_by) == ("refiner:qwen3", "user:qwen3")
