import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.served_tool import mcp_input_schemas
from sandboxes.verification.interface import check_interface

CATALOG = Catalog.discover()
ENVIRONMENT_IDS = [source.environment_id for source in CATALOG.sources]


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
def test_a_client_is_shown_the_declared_input_schema(environment_id):
    environment = CATALOG.load(environment_id)
    shown = mcp_input_schemas(environment)

    assert shown == {tool.wire_name: tool.input_schema for tool in environment.tools.values()}


def test_a_schema_that_the_server_shows_otherwise_is_a_finding():
    environment = CATALOG.load("travel.hotel_booking")
    shown = mcp_input_schemas(environment)
    shown["hotel_booking__get_hotel"] = {"type": "object"}

    findings = check_interface(environment, shown)

    assert [finding.tool for finding in findings] == ["hotel_booking__get_hotel"]


def test_every_shape_of_argument_keeps_its_description_bounds_literals_and_default(notes):
    shown = mcp_input_schemas(notes.load("office.notes"))["notes__add_note"]

    properties = shown["properties"]
    assert shown["additionalProperties"] is False
    assert properties["kind"]["enum"] == ["plain", "list"]
    assert properties["kind"]["default"] == "plain"
    assert properties["weight"]["exclusiveMaximum"] == 2
    assert properties["due"]["format"] == "date"
    assert (
        properties["author"]["properties"]["email"]["description"] == "Where the author is reached"
    )
