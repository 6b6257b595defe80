import pytest

from envfactory_assets.records.proposals import ProposedField
from envfactory_assets.stages.proposals.entity_fields import FieldReader
from envfactory_assets.stages.proposals.input_writing import InputWriter
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.source_tools import Argument, SourceTool

TEXT = {"type": "string"}


def argument(name, schema=None, *, required=False, place="query", refers=None):
    return Argument(name, schema or TEXT, is_required=required, place=place, refers=refers)


def field(name, type_="text", **more):
    return ProposedField(name=name, type=type_, description=name.capitalize(), **more)


def write(operation, *arguments, fields=(), scopes=None, creatable=(), key=None):
    """Return the input schema, the fields of the entity afterwards, and what was noted."""
    points = OpenPoints()
    tool = SourceTool("x", "x", "X.", operation, "order", "read", arguments, {}, key)
    known = {"order": {one.name: one for one in fields}}
    reader = FieldReader(["order", "customer"], points)
    writer = InputWriter(known, scopes or {}, creatable, reader, points)
    return writer.write(tool), known["order"], points.sentences()


def test_a_filter_is_found_by_field_by_id_and_by_beginning():
    fields = [field("note"), field("customer_id", references="customer"), field("country_code")]

    schema, _, _ = write(
        "list", argument("note"), argument("customer"), argument("country"), fields=fields
    )

    assert list(schema["properties"]) == ["note", "customer_id", "country_code"]


def test_a_filter_by_nothing_known_is_dropped_with_a_note():
    schema, _, notes = write("list", argument("mood"), fields=[field("note")])

    assert schema["properties"] == {}
    assert notes == ("Filters by what is no field are left out: x.mood.",)


def test_a_filter_that_must_be_given_becomes_a_field():
    schema, fields, _ = write("list", argument("mood", required=True), fields=[field("note")])

    assert schema["required"] == ["mood"]
    assert fields["mood"].is_optional is False


def test_a_filter_is_optional_where_things_may_lack_the_field():
    schema, fields, notes = write("list", argument("mood", required=True), creatable=["order"])

    assert schema["required"] == []
    assert fields["mood"].is_optional
    assert notes[-1] == "Filters that had to be given are optional: x.mood."


def test_of_several_filters_that_must_be_given_none_must():
    fields = [field("origin"), field("target")]

    schema, _, _ = write(
        "search",
        argument("origin", required=True),
        argument("target", required=True),
        fields=fields,
    )

    assert schema["required"] == []


def test_bounds_and_pages_have_our_names():
    schema, _, notes = write(
        "list",
        argument("price_lte", {"type": "number"}),
        argument("pageSize", {"type": "integer", "maximum": 20}),
        argument("skip", {"type": "integer"}),
        argument("cursor"),
        fields=[field("price", "number")],
    )

    assert list(schema["properties"]) == ["max_price", "limit", "offset"]
    assert schema["properties"]["max_price"]["description"] == "Largest price"
    assert schema["properties"]["limit"]["maximum"] == 20
    assert notes == ("Paging, sorting and presentation are left out: cursor.",)


def test_a_creation_takes_fields_and_the_thing_above():
    fields = [field("note"), field("customer_id", references="customer")]

    schema, _, _ = write(
        "create",
        argument("cid", place="path", required=True, refers="customer"),
        argument("note", place="body"),
        argument("id", place="body"),
        argument("verbose"),
        fields=fields,
    )

    assert list(schema["properties"]) == ["customer_id", "note"]
    assert schema["required"] == ["customer_id"]


def test_what_a_creation_cannot_do_without_stays_as_it_is():
    lines = argument("lines", {"type": "array", "items": {}}, place="body", required=True)

    schema, _, _ = write("create", lines, fields=[field("note")])

    assert schema["required"] == ["lines"]


def test_an_update_addresses_by_id_and_drops_what_reading_needs_too():
    schema, _, notes = write(
        "update",
        argument("number", place="input", required=True),
        argument("shelf", place="input", required=True),
        argument("note", place="input"),
        fields=[field("shelf"), field("note")],
        scopes={"order": frozenset({"shelf"})},
        key="number",
    )

    assert list(schema["properties"]) == ["order_id", "note"]
    assert "Inputs that say where a thing is are dropped, for its id is enough: x.shelf." in notes


@pytest.mark.parametrize("operation", ["read", "delete"])
def test_reading_and_deleting_take_nothing_but_the_id(operation):
    schema, _, _ = write(
        operation,
        argument("orderId", {"type": "integer"}, place="path", required=True),
        argument("expand"),
        key="orderId",
    )

    assert schema["properties"] == {
        "order_id": {"type": "string", "description": "Id of the order"}
    }
    assert schema["required"] == ["order_id"]


def test_other_tools_keep_their_inputs_with_ids_under_our_names():
    schema, _, _ = write(
        "other",
        argument("orderId", {"type": "integer"}, place="path", required=True, refers="order"),
        argument("customerGid"),
        argument("how", {"type": "object", "properties": {"fast": {"type": "boolean"}}}),
    )

    assert list(schema["properties"]) == ["order_id", "customer_id", "how"]
    assert schema["properties"]["order_id"]["type"] == "string"
    assert schema["additionalProperties"] is False
