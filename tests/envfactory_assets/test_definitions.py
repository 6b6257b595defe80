import subprocess
import sys

import dagster as dg
import pytest

from envfactory_assets.definitions import build_definitions
from envfactory_assets.records.tables import TABLES

HEAVY = ("anthropic", "great_expectations", "matplotlib", "sentence_transformers", "torch", "trl")


@pytest.fixture(scope="module")
def graph():
    return build_definitions().resolve_asset_graph()


@pytest.fixture(scope="module")
def specs():
    return build_definitions().resolve_all_asset_specs()


@pytest.fixture(scope="module")
def checks():
    definitions = build_definitions().asset_checks or ()
    return [spec for definition in definitions for spec in definition.check_specs]


def test_every_asset_says_what_it_is_and_whose(specs):
    lacking = [
        (spec.key.to_user_string(), name)
        for spec in specs
        for name in ("description", "owners", "group_name", "kinds", "code_version")
        if not getattr(spec, name) or getattr(spec, name) == "default"
    ]

    assert lacking == []


def test_every_check_says_what_it_guards_and_stops_what_is_downstream(checks, specs):
    assets = {spec.key for spec in specs}

    assert [spec.name for spec in checks if not spec.description] == []
    assert [spec.name for spec in checks if not spec.blocking] == []
    assert [spec.name for spec in checks if spec.asset_key not in assets] == []


def test_every_check_says_what_carries_it_out():
    kinds = {
        definition.node_def.tags.get("dagster/compute_kind")
        for definition in build_definitions().asset_checks or ()
    }

    assert kinds == {"greatexpectations"}


def test_every_asset_has_a_table_and_every_table_a_check(checks, specs):
    names = {spec.key.to_user_string() for spec in specs}

    assert names == set(TABLES)
    assert {spec.asset_key.to_user_string() for spec in checks} == names


def test_definitions_fit_together():
    dg.Definitions.validate_loadable(build_definitions())


def test_the_jobs_reach_every_asset(graph):
    definitions = build_definitions()
    reached = {
        key
        for job in definitions.jobs or ()
        for key in definitions.resolve_job_def(job.name).asset_layer.selected_asset_keys
    }

    assert reached == set(graph.materializable_asset_keys)


def test_definitions_load_without_heavy_libraries():
    code = (
        "import sys, envfactory_assets.definitions\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
