"""The commands about the pool, on a home where one document became an environment."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envfactory_assets.command_line import app
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import CHECKOUT
from envfactory_resources.profiles import FILE_VARIABLE, PROFILE_VARIABLE
from tests.envfactory_assets.test_generation import PETS, PROPOSES, TESTS, WRITES

SERVER = '''
from fastmcp import FastMCP

app = FastMCP("notes")


@app.tool
def create_note(title: str, body: str) -> dict:
    """Create a note."""
    return {}


app.run(show_banner=False)
'''


@pytest.fixture
def envfactory(tmp_path, monkeypatch):
    """Run the command line on a home of its own."""
    monkeypatch.setenv("ENVFACTORY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ENVFACTORY_DAGSTER_STORAGE", str(tmp_path / "home" / "dagster"))
    monkeypatch.setenv("DAGSTER_HOME", str(CHECKOUT))
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv(PROFILE_VARIABLE, raising=False)

    def run(*arguments):
        return CliRunner().invoke(app, arguments)

    return run


@pytest.fixture
def after_generation(empty_platform, monkeypatch, tmp_path):
    """A home in which a document became an environment; returns the command line and the home."""
    from envfactory_assets.stages.proposals.document_keeping import keep_document

    home = empty_platform.warehouse.root
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(PETS))
    keep_document(home / "documents", "office", "pet_register", file)
    assert empty_platform.run("environment_job", "office").failures == []
    monkeypatch.setenv("ENVFACTORY_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, arguments), home


def test_one_command_makes_an_environment_with_models(envfactory, tmp_path, monkeypatch):
    with FakeMessages([PROPOSES, WRITES, TESTS]) as fake:
        (tmp_path / "mine.toml").write_text(
            "[profiles.mine]\n"
            'roles = { researcher = "model", coder = "model", tester = "model" }\n'
            f'endpoint = {{ model = "fake-1", base_url = "{fake.url}" }}\n'
            "generation = { target_environments_per_domain = 2 }\n"
            "mutation_score = false\n"
        )
        decisions = tmp_path / "home" / "decisions" / "office"
        decisions.mkdir(parents=True)
        # Rooms that are booked by the day are much like those of a hotel.
        (decisions / "meeting_rooms.json").write_text('{"verdict": "approve"}')
        monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "mine.toml"))
        monkeypatch.setenv(PROFILE_VARIABLE, "mine")
        result = envfactory("generate", "--domain", "office", "--processes", "1")

    assert result.exit_code == 0, result.output
    assert "office.meeting_rooms" in result.stdout
    assert "accepted" in result.stdout
    home = Path(tmp_path / "home")
    assert (home / "pool" / "generated" / "office" / "meeting_rooms.py").exists()
    sql = "SELECT environment_id, verified FROM environments ORDER BY 1"
    assert [tuple(row.values()) for row in Warehouse(home).query(sql)] == [
        ("office.calendar", True),
        ("office.meeting_rooms", True),
    ]


def test_a_file_is_kept_under_its_kind(envfactory, tmp_path):
    file = tmp_path / "api.json"
    file.write_text(json.dumps(PETS))
    result = envfactory("import", str(file), "--domain", "office", "--name", "pet_register")

    kept = tmp_path / "home" / "documents" / "office" / "pet_register.openapi.json"
    assert json.loads(kept.read_text()) == PETS
    assert "make generate DOMAIN=office" in result.stdout


def test_the_tools_of_an_mcp_server_are_kept_as_a_document(envfactory, tmp_path):
    server = tmp_path / "server.py"
    server.write_text(SERVER)
    result = envfactory(
        *("import", "--domain", "office", "--name", "notes"),
        *("--mcp-command", f"{sys.executable} {server}"),
    )

    assert result.exit_code == 0, result.output
    kept = tmp_path / "home" / "documents" / "office" / "notes.mcp_tools.json"
    assert [tool["name"] for tool in json.loads(kept.read_text())["tools"]] == ["create_note"]


@pytest.mark.parametrize(
    ("content", "told"),
    [("{", "Not JSON"), ('{"swagger": "2.0"}', "no OpenAPI 3 file"), ("[]", "no OpenAPI 3 file")],
)
def test_a_file_of_no_known_kind_is_refused_and_not_kept(envfactory, tmp_path, content, told):
    file = tmp_path / "api.json"
    file.write_text(content)
    result = envfactory("import", str(file), "--domain", "office", "--name", "pets")

    assert result.exit_code == 2
    assert told in result.stderr
    assert list((tmp_path / "home").rglob("*.openapi.json")) == []


def test_proposals_are_listed_with_what_became_of_them(after_generation):
    envfactory, _ = after_generation
    line = next(
        line for line in envfactory("proposals").stdout.splitlines() if "pet_register" in line
    )

    assert [cell.strip() for cell in line.split("│")[1:-1]] == [
        *("office.pet_register", "proposed", "imported", "4"),
        *(line.split("│")[5].strip(), "accepted"),
    ]


def test_a_veto_counts_at_the_next_generation(after_generation, empty_platform):
    envfactory, home = after_generation
    refused = envfactory("decide", "office.pet_register", "veto")
    assert (refused.exit_code, "needs a reason" in refused.stderr) == (2, True)

    envfactory("decide", "office.pet_register", "veto", "--reason", "Not ours.")
    assert (home / "decisions" / "office" / "pet_register.json").exists()
    empty_platform.run("environment_job", "office")
    [row] = Warehouse(home).query("SELECT status, status_reason FROM environment_proposals")
    assert row == {"status": "vetoed", "status_reason": "Not ours."}


def test_an_edit_is_written_down_in_full_and_made(after_generation, empty_platform):
    envfactory, home = after_generation
    envfactory("decide", "office.pet_register", "edit")
    file = home / "decisions" / "office" / "pet_register.json"
    file.write_text(file.read_text().replace("A register of pets.", "A register of tame pets."))
    empty_platform.run("environment_job", "office")

    [row] = Warehouse(home).query("SELECT description FROM environments")
    assert row["description"] == "A register of tame pets."


def test_an_environment_is_demoted_and_promoted_by_hand(after_generation):
    envfactory, home = after_generation
    file = home / "pool" / "imported" / "office" / "pet_register.py"
    assert envfactory("demote", "office.pet_register").exit_code == 0
    assert not file.exists()
    assert envfactory("promote", "office.pet_register").exit_code == 0
    assert file.exists()


@pytest.mark.parametrize("command", ["promote", "demote"])
def test_an_environment_that_nobody_made_is_refused(after_generation, command):
    envfactory, _ = after_generation
    result = envfactory(command, "office.unicorns")

    assert result.exit_code == 2
    assert "office.unicorns" in result.stderr
