"""Environments from documents and from models, through the assets, into the pool and out again."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from envfactory_assets.stages.proposals.document_keeping import keep_document
from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    RefusalReply,
    StructuredReply,
    TextReply,
    ToolCallsReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.profiles import ModelEndpoint, Role
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

MEETING_ROOMS = Path(__file__).parent / "stages" / "attempts" / "meeting_rooms"
PETS = {
    "openapi": "3.0.3",
    "info": {"title": "Pet register", "description": "A register of pets."},
    "paths": {
        "/pets": {
            "get": {
                "operationId": "list_pets",
                "summary": "List pets.",
                "parameters": [
                    {"name": "kind", "in": "query", "schema": {"$ref": "#/components/schemas/Kind"}}
                ],
                "responses": {"200": {"description": "Pets"}},
            },
            "post": {
                "operationId": "add_pet",
                "summary": "Add a pet.",
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                    }
                },
                "responses": {"201": {"description": "The pet"}},
            },
        },
        "/pets/{pet_id}": {
            "parameters": [
                {"name": "pet_id", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "get": {
                "operationId": "get_pet",
                "summary": "Show a pet.",
                "responses": {
                    "200": {
                        "description": "The pet",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}
                        },
                    }
                },
            },
            "delete": {
                "operationId": "delete_pet",
                "summary": "Remove a pet.",
                "responses": {"204": {"description": "Gone"}},
            },
        },
    },
    "components": {
        "schemas": {
            "Kind": {"type": "string", "enum": ["dog", "cat", "bird"]},
            "Pet": {
                "type": "object",
                "required": ["name", "kind"],
                "properties": {
                    "name": {"type": "string", "example": "Willow"},
                    "kind": {"$ref": "#/components/schemas/Kind"},
                    "age": {"type": "integer", "minimum": 0, "maximum": 30},
                },
            },
        }
    },
}


@pytest.fixture
def pets(empty_platform, tmp_path):
    """A platform whose home holds an OpenAPI file for the office."""
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(PETS))
    keep_document(empty_platform.warehouse.root / "documents", "office", "pet_register", file)
    return empty_platform


def query(platform, sql):
    return [tuple(row.values()) for row in platform.warehouse.query(sql)]


def generated(platform, **changes):
    """Run the leg of environments for the office on a changed profile."""
    profile = platform.profile.model_copy(update=changes)
    changed = replace(platform, profile=profile)
    return changed, changed.run("environment_job", "office")


def test_a_document_becomes_a_verified_environment_of_the_pool_without_any_model(pets):
    leg = pets.run("environment_job", "office")

    assert leg.failures == []
    assert query(pets, "SELECT environment_id, status, made_by FROM environment_proposals") == [
        ("office.pet_register", "proposed", "importer:rules")
    ]
    [(outcome, source, source_hash)] = query(
        pets, "SELECT outcome, source, source_hash FROM environment_attempts"
    )
    assert outcome == "accepted"
    assert query(pets, "SELECT environment_id, origin, verified FROM environments") == [
        ("office.pet_register", "imported", True)
    ]
    promoted = pets.warehouse.root / "pool" / "imported" / "office" / "pet_register.py"
    assert promoted.read_text() == source
    pool = pets.resources["sandbox_pool"]
    assert pool.discover().source("office.pet_register").source_hash == source_hash


def test_an_unreviewed_environment_is_used_through_a_session_like_any_other(pets):
    pets.run("environment_job", "office")
    catalog = pets.resources["sandbox_pool"].discover()
    scenario = Scenario.draw(catalog, ["office.pet_register"], 0)
    session = Session.open(scenario, catalog)

    added = session.call("pet_register__add_pet", {"name": "Otto", "kind": "cat", "age": 3})
    shown = session.call("pet_register__get_pet", {"pet_id": added.result["pet_id"]})
    refused = session.call("pet_register__get_pet", {"pet_id": "PET-999"})

    assert (shown.result["name"], shown.result["age"]) == ("Otto", 3)
    assert not refused.ok
    assert "sandboxes.office.pet_register" not in __import__("sys").modules


def test_nothing_new_is_made_when_nothing_changed(pets):
    pets.run("environment_job", "office")
    before = pets.versions()
    leg = pets.run("environment_job", "office")

    assert pets.versions() == before
    assert {"environment_proposals", "environment_attempts", "environments"} <= set(leg.unchanged)


def test_a_file_that_was_lost_from_the_pool_is_written_again(pets):
    pets.run("environment_job", "office")
    shutil.rmtree(pets.warehouse.root / "pool")
    leg = pets.run("environment_job", "office")

    assert leg.failures == []
    assert (pets.warehouse.root / "pool" / "imported" / "office" / "pet_register.py").exists()


def test_by_hand_nothing_joins_the_pool_by_itself(pets):
    platform, leg = generated(pets, promotion="by_hand")

    assert query(platform, "SELECT outcome FROM environment_attempts") == [("accepted",)]
    assert not (platform.warehouse.root / "pool").exists()
    assert leg.row_counts["environments"] == 0


def test_a_vetoed_proposal_gets_no_code_and_keeps_its_reason(pets):
    folder = pets.warehouse.root / "decisions" / "office"
    folder.mkdir(parents=True)
    (folder / "pet_register.json").write_text('{"verdict": "veto", "reason": "We have one."}')
    pets.run("environment_job", "office")

    assert query(pets, "SELECT status, status_reason FROM environment_proposals") == [
        ("vetoed", "We have one.")
    ]
    assert query(pets, "SELECT count(*) FROM environment_attempts") == [(0,)]


def test_a_document_that_cannot_be_read_is_counted_and_stops_nothing(pets):
    (pets.warehouse.root / "documents" / "office" / "broken.openapi.json").write_text("{")
    result = pets.materialize("environment_proposals", domain="office")

    assert result.success
    [event] = result.get_asset_materialization_events()
    metadata = event.step_materialization_data.materialization.metadata
    assert metadata["rows_dropped"].value == 1
    assert "office/broken.openapi.json: Not JSON" in metadata["dropped"].value


def draft():
    """The proposal of the meeting rooms as a researcher hands it in, results described."""
    proposal = json.loads((MEETING_ROOMS / "proposal.json").read_text())
    kept = ("name", "service", "rationale", "entities", "rules")
    title = {"title": {"type": "string", "description": "What the meeting is about"}}
    booking = {"type": "object", "properties": title}
    bookings = {"type": "array", "description": "Bookings by day", "items": booking}
    room = {"type": "object", "properties": {"name": {"type": "string", "description": "Name"}}}
    rooms = {"type": "array", "description": "Rooms from small to large", "items": room}
    results = {
        "list_rooms": {"type": "object", "properties": {"rooms": rooms}},
        "list_bookings": {"type": "object", "properties": {"bookings": bookings}},
        "book_room": booking,
        "cancel_booking": booking,
    }
    tools = [{**tool, "output_schema": results[tool["name"]]} for tool in proposal["tools"]]
    return {**{key: proposal[key] for key in kept}, "tools": tools, "sources": []}


PROPOSES = ScriptLine(ToolCallsReply([("hand_in", draft())]), role="researcher", times=None)
GOOD_CODE = (MEETING_ROOMS / "meeting_rooms.py").read_text()
WRITES = ScriptLine(TextReply(f"```python\n{GOOD_CODE}```"), role="coder", times=None)
TESTS = ScriptLine(
    StructuredReply({"cases": json.loads((MEETING_ROOMS / "cases.json").read_text())}),
    role="tester",
    times=None,
)


@pytest.fixture
def by_models(empty_platform, monkeypatch):
    """Generate for the office with models as researcher, coder and tester, by a script.

    Meeting rooms are much like hotel rooms to the embedding of these tests; a person says that
    they are wanted all the same.
    """
    folder = empty_platform.warehouse.root / "decisions" / "office"
    folder.mkdir(parents=True)
    (folder / "meeting_rooms.json").write_text('{"verdict": "approve"}')
    monkeypatch.setenv("ENVFACTORY_HOME", str(empty_platform.warehouse.root))

    def run(*lines):
        with FakeMessages(lines) as fake:
            platform, leg = generated(
                empty_platform,
                roles=dict.fromkeys((Role.RESEARCHER, Role.CODER, Role.TESTER), "model"),
                endpoint=ModelEndpoint(model="fake-1", base_url=fake.url, max_retries=1),
                generation=empty_platform.profile.generation.model_copy(
                    update={"target_environments_per_domain": 1, "max_rounds": 2}
                ),
            )
            return platform, leg, fake.requests

    return run


def test_models_propose_write_and_test_and_the_pool_gains_an_environment(by_models):
    platform, leg, requests = by_models(PROPOSES, WRITES, TESTS)

    assert leg.failures == []
    assert {request.role for request in requests} == {"researcher", "coder", "tester"}
    assert query(platform, "SELECT status, nearest, made_by FROM environment_proposals") == [
        ("approved", "travel.hotel_booking", "researcher:fake-1")
    ]
    assert query(platform, "SELECT outcome, made_by, tested_by FROM environment_attempts") == [
        ("accepted", "coder:fake-1", "tester:fake-1")
    ]
    assert query(platform, "SELECT environment_id, origin, verified FROM environments") == [
        ("office.meeting_rooms", "generated", True)
    ]


def test_the_asset_page_says_what_an_environment_cost(by_models):
    platform, _, _ = by_models(PROPOSES, WRITES, TESTS)
    result = platform.materialize("environment_attempts", domain="office")

    [event] = result.get_asset_materialization_events()
    shown = event.step_materialization_data.materialization.metadata
    head, _, row = shown["cost"].value.splitlines()[:3]
    assert head == (
        "| environment | attempts | ended as | requests | tokens in | out | prompt cache read | "
        "written |"
    )
    assert row.startswith("| office.meeting_rooms | 1 | accepted | 2 |")


def test_started_again_it_asks_the_endpoint_nothing(by_models):
    by_models(PROPOSES, WRITES, TESTS)
    platform, leg, requests = by_models()

    assert (leg.failures, requests) == ([], [])
    assert query(platform, "SELECT count(*) FROM environments") == [(1,)]


BROKEN_CODE = GOOD_CODE.replace("import random", "import os\nimport random")


@pytest.mark.parametrize(
    ("coder", "outcome"),
    [
        (TextReply(f"```python\n{BROKEN_CODE}```"), "unchanged"),
        (TextReply("I would rather talk about it."), "malformed_reply"),
        (RefusalReply(), "refused"),
        (ErrorReply(529), "unreachable"),
    ],
)
def test_an_environment_that_is_given_up_ends_in_a_row_with_its_reason(by_models, coder, outcome):
    platform, _, _ = by_models(PROPOSES, ScriptLine(coder, role="coder", times=None), TESTS)

    [(found, reason)] = query(
        platform, "SELECT outcome, reason FROM environment_attempts WHERE is_final"
    )
    assert found == outcome
    assert reason
    assert not (platform.warehouse.root / "pool").exists()
