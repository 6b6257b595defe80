import subprocess
import sys
from dataclasses import replace

import pytest

from envfactory_assets.main_job import in_processes, known_domains, run_main_job
from envfactory_resources.embedding_model import EmbeddingResource
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.home import CHECKOUT
from envfactory_resources.profiles import ProfileResource
from tests.envfactory_assets.platform import Platform


def put_in_pool(platform, file, content):
    path = platform.warehouse.root / "pool" / "generated" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def by_leg(legs):
    return {(leg.job, leg.domain): leg for leg in legs}


def test_a_malformed_file_stops_its_domain_alone_with_one_message_that_says_what_to_do(platform):
    before = platform.versions()
    put_in_pool(platform, "travel/broken.py", b"class (:\n")
    legs = platform.run_main_job()

    failed = [leg for leg in legs if leg.failures]
    assert [(leg.job, leg.domain) for leg in failed] == [("environment_job", "travel")]
    [message] = failed[0].failures
    assert "travel.broken" in message
    assert "Mend broken.py" in message
    ran = {leg.domain for leg in legs if leg.job == "task_job"}
    assert ran == {"lifestyle", "finance"}
    assert not {leg.job for leg in legs} & {"dataset_job", "training_job"}
    changed = {key for key, version in platform.versions().items() if before[key] != version}
    assert changed == {("environments", "travel")}


def test_a_domain_that_was_mended_goes_on_from_what_was_there(platform):
    before = platform.data_versions()
    file = put_in_pool(platform, "travel/broken.py", b"class (:\n")
    platform.run("environment_job", "travel")
    file.unlink()
    legs = platform.run_main_job("travel")

    assert [leg.failures for leg in legs if leg.failures] == []
    assert platform.data_versions() == before
    assert set(by_leg(legs)["task_job", "travel"].unchanged) == set(
        by_leg(legs)["task_job", "travel"].row_counts
    )


def test_a_file_that_is_not_text_is_named(platform):
    put_in_pool(platform, "travel/noise.py", b"\xff\xfe\x00 not a text")
    leg = platform.run("environment_job", "travel")

    [message] = leg.failures
    assert "travel.noise" in message
    assert "noise.py" in message


def test_two_files_of_one_name_are_both_named(platform):
    hotel = (platform.tree / "travel/hotel_booking.py").read_bytes()
    put_in_pool(platform, "finance/hotel_booking.py", hotel)
    leg = platform.run("environment_job", "travel")

    [message] = leg.failures
    assert "finance.hotel_booking" in message
    assert "travel.hotel_booking" in message
    assert "rename one file" in message


def test_an_unknown_domain_is_refused_and_the_known_ones_listed():
    with pytest.raises(ConfigurationError, match=r"Unknown domain 'mars'; available: office, .*"):
        known_domains(["travel", "mars"])


def test_no_domain_means_all_of_them():
    assert len(known_domains([])) == 7
    assert known_domains(["travel"]) == ["travel"]


def test_a_missing_model_folder_ends_the_run_with_one_line(empty_platform, monkeypatch):
    monkeypatch.setenv("ENVFACTORY_EMBEDDING_MODEL", "/nowhere/at/all")
    home = str(empty_platform.warehouse.root)
    embedding = EmbeddingResource(profile=ProfileResource(), home=home)
    platform = replace(empty_platform, more={"embedding": embedding})
    leg = platform.run("environment_job", "travel")

    [message] = leg.failures
    assert "Embedding model folder '/nowhere/at/all' does not exist." in message
    assert "\n" not in message


def test_a_process_that_is_killed_fails_its_leg_and_says_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "dagster").mkdir()
    monkeypatch.setenv("ENVFACTORY_HOME", str(tmp_path))
    monkeypatch.setenv("ENVFACTORY_DAGSTER_STORAGE", str(tmp_path / "dagster"))
    monkeypatch.setenv("DAGSTER_HOME", str(CHECKOUT))
    with in_processes(1, print) as run_legs:
        # With this setting no Python starts: it ends as a killed one does.
        monkeypatch.setenv("PYTHONHOME", str(tmp_path))
        legs = list(run_main_job(run_legs, ["travel", "finance"], with_training=False))

    assert [(leg.job, leg.domain) for leg in legs] == [
        ("environment_job", "travel"),
        ("environment_job", "finance"),
    ]
    for leg in legs:
        [message] = leg.failures
        assert "was killed from outside" in message
        assert "run again" in message


@pytest.fixture(scope="module")
def resumed(tmp_path_factory):
    """A platform on which the main job was killed in its first leg, and then run again."""
    platform = Platform.make(tmp_path_factory.mktemp("killed"))
    script = "tests.envfactory_assets.processes.main_job"
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", script, str(platform.root)],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        while (asset := process.stdout.readline().strip()) not in ("", "environments"):
            pass
        process.kill()
    committed = platform.data_versions()
    return platform, asset, committed, platform.run_main_job()


def test_a_killed_run_leaves_what_it_committed_and_the_next_one_goes_on_from_there(resumed):
    platform, last, committed, legs = resumed

    assert last == "environments"
    assert ("environments", "travel") in committed
    assert len(committed) < len(platform.data_versions())
    assert [leg.failures for leg in legs if leg.failures] == []
    assert "environments" in legs[0].unchanged
    assert committed.items() <= platform.data_versions().items()


def test_two_homes_from_scratch_hold_the_same_data_versions(resumed, materialized):
    platform, *_ = resumed

    assert platform.data_versions() == materialized.data_versions()
