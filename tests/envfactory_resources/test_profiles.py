import dagster as dg
import pytest

from envfactory_resources.errors import ConfigurationError
from envfactory_resources.profiles import Profile, ProfileResource, Role, load_profile


@pytest.fixture
def load(tmp_path):
    """Load a profile from the text of a configuration file and from variables."""

    def load(text="", **variables):
        file = tmp_path / "envfactory.toml"
        file.write_text(text)
        return load_profile({"ENVFACTORY_CONFIG": str(file), **variables})

    return load


def test_without_settings_rules_play_every_role_and_64_chains_are_made(load):
    profile = load()

    assert profile == Profile(name="offline")
    assert profile.chains_per_domain == 64
    assert set(profile.players(*Role).values()) == {"rules"}


def test_a_file_changes_a_built_in_profile(load):
    profile = load("[profiles.offline]\nseed = 3\n[profiles.anthropic]\nseed = 4\n")

    assert profile.seed == 3


def test_a_file_adds_a_profile_that_a_variable_picks(load):
    text = """
        [profiles.mine]
        chains_per_domain = 8
        held_out_environments = ["travel.hotel_booking"]
        roles = {refiner = "model"}
        endpoint = {model = "qwen", base_url = "http://localhost:8000"}
        training.grpo = {train_steps = 5}
    """
    profile = load(text, ENVFACTORY_PROFILE="mine")

    assert profile.name == "mine"
    assert profile.sampler.chains_per_domain == 8
    assert profile.held_out_environments == ("travel.hotel_booking",)
    assert profile.players(Role.REFINER) == {"refiner": "model:qwen"}
    assert profile.players(Role.QUERY_WRITER) == {"query_writer": "rules"}
    assert profile.job_settings("grpo") == {"train_steps": 5}
    assert profile.job_settings("sft") == {}


def test_a_variable_wins_over_the_file(load):
    profile = load("[profiles.offline]\nseed = 3\n", ENVFACTORY_SEED="-9")

    assert profile.seed == -9


def test_an_empty_variable_is_as_good_as_none(load):
    assert load(ENVFACTORY_SEED="", ENVFACTORY_PROFILE="").seed == 0


def test_one_size_scales_every_domain(load):
    assert load(ENVFACTORY_CHAINS_PER_DOMAIN="16").sampler.chains_per_domain == 16


def test_a_seed_reaches_queries_and_trajectories(load):
    profile = load(ENVFACTORY_SEED="5")

    assert (profile.queries.seed, profile.trajectories.seed) == (5, 5)


@pytest.mark.parametrize(
    ("setting", "turns"),
    [('"published_corpus"', 4.99), ("{ turns = 3.0, difficulty = { hard = 0.5 } }", 3.0)],
)
def test_distribution_targets_are_named_or_spelled_out(load, setting, turns):
    profile = load(text=f"[profiles.offline]\ndistribution = {setting}")

    assert profile.datasets.targets.turns == turns


def test_datasets_stay_as_they_were_sampled_unless_asked(load):
    assert load().datasets.targets is None
    assert load().queries.refinement == "calibrated"


def test_no_file_at_all_is_fine_unless_one_is_named(tmp_path):
    assert load_profile({}).name == "offline"
    with pytest.raises(ConfigurationError, match="does not exist"):
        load_profile({"ENVFACTORY_CONFIG": str(tmp_path / "nowhere.toml")})


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read as TOML"):
        load_profile({"ENVFACTORY_CONFIG": str(tmp_path)})


def test_a_file_that_is_not_text_is_refused(tmp_path):
    file = tmp_path / "envfactory.toml"
    file.write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigurationError, match="cannot be read as TOML"):
        load_profile({"ENVFACTORY_CONFIG": str(file)})


def test_the_resource_may_name_the_profile(monkeypatch, tmp_path):
    file = tmp_path / "envfactory.toml"
    file.write_text("[profiles.mine]\nseed = 8\n")
    monkeypatch.setenv("ENVFACTORY_CONFIG", str(file))
    monkeypatch.delenv("ENVFACTORY_SEED", raising=False)

    with dg.build_init_resource_context() as context:
        assert ProfileResource(name="mine").create_resource(context).seed == 8
