"""The import law, as the configuration of import-linter states it."""

import tomllib
from pathlib import Path

from importlinter.cli import lint_imports

from sandboxes.core.catalog import Catalog

CHECKOUT = Path(__file__).parents[2]


def contracts():
    configuration = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    return {each["name"]: each for each in configuration["tool"]["importlinter"]["contracts"]}


def test_imports_flow_one_way(monkeypatch, capsys):
    monkeypatch.chdir(CHECKOUT)
    exit_code = lint_imports(cache_dir=None)

    assert exit_code == 0, capsys.readouterr().out


def test_the_law_names_every_environment():
    shipped = {f"sandboxes.{source.environment_id}" for source in Catalog.discover().sources}

    assert set(contracts()["No environment imports another"]["modules"]) == shipped


def test_dagster_is_kept_out_of_everything_below_the_wiring():
    contract = contracts()["Dagster stays in the wiring"]

    assert contract["forbidden_modules"] == ["dagster"]
    assert {"sandboxes", "envfactory_assets.stages", "rl_jobs"} <= set(contract["source_modules"])
