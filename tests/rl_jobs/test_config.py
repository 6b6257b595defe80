import json
from pathlib import Path

import pytest

from envfactory_assets.stages.training.jobs import job_config
from rl_jobs.config import (
    EvaluateConfig,
    GrpoConfig,
    SftConfig,
    discover_environments,
    load_config,
    parse_config,
)
from rl_jobs.errors import ConfigError
from sandboxes.confinement.confined_environment import ConfinedEnvironment
from sandboxes.core.catalog import Catalog

SFT = {"rows_file": "sft.jsonl", "output_folder": "out"}
GRPO = {"rows_file": "rl.jsonl", "output_folder": "out", "model": "policy"}


def test_an_unknown_setting_is_named_with_what_is_allowed() -> None:
    with pytest.raises(ConfigError, match=r"Unknown setting 'steps'; allowed here: .*train_steps"):
        parse_config({**SFT, "steps": 3}, SftConfig)


def test_an_unknown_setting_deeper_down_is_named_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"'limits.calls'; allowed here: .*max_calls"):
        parse_config({**GRPO, "limits": {"calls": 3}}, GrpoConfig)


def test_a_missing_setting_is_named() -> None:
    with pytest.raises(ConfigError, match="'model' is missing"):
        parse_config({key: GRPO[key] for key in ("rows_file", "output_folder")}, GrpoConfig)


def test_a_wrong_value_is_shown() -> None:
    with pytest.raises(ConfigError, match="'train_steps' is 0"):
        parse_config({**SFT, "train_steps": 0}, SftConfig)


def test_a_file_that_is_not_there_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_config(tmp_path / "none.json", SftConfig)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="is not JSON"):
        load_config(path, SftConfig)


def test_the_published_preset_gives_the_published_numbers_and_a_file_goes_before_it() -> None:
    given = {**GRPO, "preset": "published", "kl_weight": 0.0, "limits": {"max_calls": 3}}
    config = parse_config(given, GrpoConfig)
    assert (config.tasks_per_step * config.group_size, config.group_size) == (256, 8)
    assert config.learning_rate == 1e-6
    assert config.kl_weight == 0.0
    assert config.limits.max_calls == 3
    assert config.limits.max_messages == 10


def test_a_configuration_survives_being_written(tmp_path: Path) -> None:
    policies = [{"name": "first", "model": "policy"}]
    given = {"rows_file": "rl.jsonl", "output_folder": "out", "policies": policies}
    config = parse_config(given, EvaluateConfig)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config.model_dump(mode="json")), encoding="utf-8")
    assert load_config(path, EvaluateConfig) == config


def test_environments_that_nobody_reviewed_run_confined_in_a_job(tmp_path: Path) -> None:
    source = Catalog.discover().source("travel.hotel_booking")
    folder = tmp_path / "generated" / "travel"
    folder.mkdir(parents=True)
    text = source.path.read_text(encoding="utf-8")
    (folder / "inns.py").write_text(text, encoding="utf-8")
    known = job_config(tmp_path, tmp_path / "rows", 0, {"model": "policy"}, pool=tmp_path)
    config = parse_config(known, GrpoConfig)
    catalog = discover_environments(config.environment_roots)

    assert [origin for _, origin in config.environment_roots] == ["generated"]
    assert catalog.source("travel.inns").origin == "generated"
    assert issubclass(catalog.load("travel.inns"), ConfinedEnvironment)
    assert "environment_roots" not in job_config(tmp_path, tmp_path / "rows", 0, {})
