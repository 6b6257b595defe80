import pytest
from typer.testing import CliRunner

from envfactory_assets.command_line import app
from envfactory_assets.jobs import DATASET_ASSETS
from envfactory_resources.home import CHECKOUT
from envfactory_resources.profiles import FILE_VARIABLE, PROFILE_VARIABLE

SETTINGS = (
    "ENVFACTORY_SEED",
    "ENVFACTORY_CHAINS_PER_DOMAIN",
    "ENVFACTORY_CANDIDATES",
    "ENVFACTORY_EMBEDDING_MODEL",
    "ENVFACTORY_RETRAIN_AFTER_ROWS",
    PROFILE_VARIABLE,
    FILE_VARIABLE,
)


@pytest.fixture
def envfactory(tmp_path, monkeypatch):
    """Run the command line on a home of its own; returns exit code, output and error output."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ENVFACTORY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ENVFACTORY_DAGSTER_STORAGE", str(tmp_path / "home" / "dagster"))
    monkeypatch.setenv("DAGSTER_HOME", str(CHECKOUT))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments, **variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, str(value))
        return CliRunner().invoke(app, arguments)

    return run


def refused(result):
    """Return the one error line of a command that was refused."""
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    return line


def test_an_unknown_domain_is_one_error_that_lists_the_known_ones(envfactory):
    line = refused(envfactory("run", "--domain", "mars"))

    assert line.startswith("Unknown domain 'mars'; available: office, lifestyle, commerce,")


def test_a_profile_without_an_endpoint_has_no_model_to_evaluate(envfactory):
    line = refused(envfactory("evaluate"))

    assert "names no endpoint. Add a table [profiles.offline.endpoint]" in line


def test_an_unknown_profile_is_one_error_that_says_how_to_add_it(envfactory):
    line = refused(envfactory("run", ENVFACTORY_PROFILE="mine"))

    assert line.startswith("Unknown profile 'mine'; available: anthropic, offline.")
    assert line.endswith("or add a [profiles.mine] table to envfactory.toml.")


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("ENVFACTORY_SEED", "lucky", "seed: Input should be a valid integer, got 'lucky'"),
        ("ENVFACTORY_SEED", "--5", "seed: Input should be a valid integer, got '--5'"),
        ("ENVFACTORY_CHAINS_PER_DOMAIN", "0", "chains_per_domain: Input should be greater"),
        ("ENVFACTORY_CANDIDATES", "1", "candidates: Input should be greater"),
    ],
)
def test_a_bad_setting_is_one_error_with_what_was_given(envfactory, variable, value, told):
    line = refused(envfactory("run", **{variable: value}))

    assert told in line
    assert "Allowed settings: name, seed, chains_per_domain" in line


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[profiles.mine\n", "cannot be read as TOML"),
        ("[profile.mine]\nseed = 1\n", "holds 'profile'"),
        ("[profiles]\nmine = 3\n", "holds 'profiles.mine'"),
        ("[profiles.offline]\nspeed = 3\n", "speed: Extra inputs are not permitted, got '3'"),
        ('[profiles.offline.roles]\nteacher = "human"\n', "roles.teacher"),
    ],
)
def test_a_malformed_configuration_is_one_error_that_says_where(
    envfactory, tmp_path, content, told
):
    file = tmp_path / "envfactory.toml"
    file.write_text(content)

    assert told in refused(envfactory("run", ENVFACTORY_CONFIG=file))


def test_a_configuration_file_that_is_not_there_is_named(envfactory):
    line = refused(envfactory("run", ENVFACTORY_CONFIG="nowhere.toml"))

    assert line == "ENVFACTORY_CONFIG names 'nowhere.toml', which does not exist."


def test_a_model_without_its_key_is_one_error(envfactory, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    line = refused(envfactory("run", ENVFACTORY_PROFILE="anthropic"))
    assert "ANTHROPIC_API_KEY is not set" in line


def test_a_missing_embedding_folder_is_one_error_with_the_way_out(envfactory):
    line = refused(envfactory("run", ENVFACTORY_EMBEDDING_MODEL="/nowhere/at/all"))

    assert line.startswith("Embedding model folder '/nowhere/at/all' does not exist.")
    assert "sentence-transformers/all-MiniLM-L6-v2" in line


def test_an_embedding_model_without_a_threshold_is_one_error(envfactory):
    line = refused(envfactory("run", ENVFACTORY_EMBEDDING_MODEL="somebody/embeddings"))

    assert "No similarity threshold for embedding model 'somebody/embeddings'" in line


def test_a_home_that_is_a_file_is_one_error(envfactory, tmp_path):
    (tmp_path / "file").write_text("")
    line = refused(envfactory("run", ENVFACTORY_HOME=tmp_path / "file"))

    assert "a part of the path is a file, not a folder" in line


@pytest.mark.parametrize("command", ["summary", "versions"])
def test_reading_an_empty_home_is_no_error_and_makes_nothing(envfactory, tmp_path, command):
    assert envfactory(command).exit_code == 0
    assert not (tmp_path / "home").exists()


def test_the_summary_shows_the_figures_of_the_warehouse(envfactory, materialized):
    result = envfactory("summary", ENVFACTORY_HOME=materialized.warehouse.root)
    kept = materialized.warehouse.query(
        "SELECT count(*) AS n FROM filtered_trajectories WHERE kept"
    )[0]["n"]

    cells = [line.split("│")[1:3] for line in result.stdout.splitlines() if "│" in line]
    shown = {name.strip(): number.strip() for name, number in cells}
    assert result.exit_code == 0
    assert shown["trajectories kept"] == str(kept)
    assert shown["chains"] == "12"
    assert "warehouse.duckdb" in result.stdout


def test_versions_are_listed_and_may_be_narrowed_down(envfactory, materialized):
    result = envfactory("versions", "sft_dataset", ENVFACTORY_HOME=materialized.warehouse.root)
    version = materialized.warehouse.current("sft_dataset", None)

    assert result.exit_code == 0
    assert version.version_id in result.stdout
    assert "environments.travel" not in result.stdout


def test_versions_of_an_unknown_asset_are_refused(envfactory, materialized):
    line = refused(envfactory("versions", "nonsense", ENVFACTORY_HOME=materialized.warehouse.root))

    assert line.startswith("No version of 'nonsense'; there are versions of [")


def test_garbage_collection_removes_superseded_versions_once_it_is_not_a_dry_run(
    envfactory, platform
):
    home = platform.warehouse.root
    platform.seeded(7).run_main_job("travel")
    before, current = platform.warehouse.versions(), platform.versions()
    dry = envfactory("collect-garbage", "--keep", "0", "--dry-run", ENVFACTORY_HOME=home)
    after_dry = platform.warehouse.versions()
    wet = envfactory("collect-garbage", "--keep", "0", ENVFACTORY_HOME=home)

    # Five tables of the domain, and what is made from all of them.
    count = 5 + len(DATASET_ASSETS)
    assert dry.stdout.startswith(f"{count} versions and {count} files, ")
    assert dry.stdout.endswith(" bytes would go.\n")
    assert after_dry == before
    assert wet.stdout == dry.stdout.replace("would go", "removed")
    assert len(platform.warehouse.versions()) == len(before) - count
    assert platform.versions() == current


def test_a_number_of_versions_below_zero_is_refused(envfactory):
    assert envfactory("collect-garbage", "--keep", "-1").exit_code == 2
