import pytest

from envfactory_assets.records.proposals import ProposedField
from envfactory_assets.stages.proposals.entity_fields import (
    FieldReader,
    field_schema,
    is_own_id,
    label_field,
)
from envfactory_assets.stages.proposals.open_points import OpenPoints

TEXT = {"type": "string"}


def read(properties, *, entities=(), owners=(), entity="order", **more):
    points = OpenPoints()
    schema = {"type": "object", "properties": properties, **more}
    fields = FieldReader(entities, points, owners).fields(schema, entity)
    return {field.name: field for field in fields}, points.sentences()


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        (TEXT, "text"),
        ({"type": "string", "format": "date"}, "day"),
        ({"type": "string", "format": "date-time"}, "moment"),
        ({"type": "string", "enum": ["a", "b"]}, "choice"),
        ({"type": "integer"}, "integer"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "array", "items": TEXT}, "list"),
    ],
)
def test_every_type_of_field_comes_from_a_schema(schema, type_):
    fields, _ = read({"placed": schema})

    assert fields["placed"].type == type_


def test_what_is_not_required_may_be_absent_where_a_schema_says_what_is():
    fields, _ = read({"a": TEXT, "b": TEXT, "c": {**TEXT, "nullable": True}}, required=["a", "c"])

    assert [name for name, field in fields.items() if field.is_optional] == ["b", "c"]


def test_own_ids_and_links_are_no_fields():
    fields, _ = read({"id": TEXT, "orderId": TEXT, "_links": {}, "html_url": TEXT, "note": TEXT})

    assert list(fields) == ["note"]


def test_an_id_refers_to_a_kept_entity_by_its_last_words():
    fields, _ = read(
        {"billing_customer_id": {"type": "integer"}, "shop_id": TEXT}, entities=["customer"]
    )

    assert fields["billing_customer_id"].references == "customer"
    assert fields["billing_customer_id"].type == "text"
    assert fields["shop_id"].references is None


def test_a_field_called_like_an_entity_and_described_as_its_id_is_one():
    fields, _ = read(
        {
            "project": {**TEXT, "description": "Gid of a project."},
            "team": {**TEXT, "description": "Id of a team."},
            "label": {**TEXT, "description": "What it says."},
        },
        entities=["project", "label"],
        owners=["team"],
    )

    assert fields["project_id"].references == "project"
    assert fields["team_id"].references is None
    assert "label" in fields


def test_an_object_with_an_id_is_a_reference_or_its_name():
    person = {"type": "object", "properties": {"id": TEXT, "name": TEXT, "phone": TEXT}}

    fields, _ = read({"customer": person, "driver": person}, entities=["customer"])

    assert fields["customer_id"].references == "customer"
    assert [name for name in fields if name.startswith("driver")] == ["driver_name"]


def test_a_small_object_is_flattened_and_a_large_one_is_cut():
    parts = dict.fromkeys(("a", "b", "c", "d", "e"), TEXT)

    fields, notes = read({"box": {"type": "object", "properties": parts}})

    assert list(fields) == ["box_a", "box_b", "box_c", "box_d"]
    assert "Fields of a shape that no field has are left out: order.box_e." in notes


def test_a_list_of_objects_keeps_their_names():
    items = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}

    fields, notes = read({"tags": {"type": "array", "items": items}})

    assert fields["tags"].type == "list"
    assert notes == ("Lists of objects keep their names only: order.tags.name.",)


def test_what_no_field_can_hold_is_noted():
    fields, notes = read({"extra": {"type": "object"}, "grid": {"type": "array", "items": {}}})

    assert fields == {}
    assert notes == ("Fields of a shape that no field has are left out: order.extra, order.grid.",)


def test_constants_and_endless_choices_are_noted():
    _, notes = read(
        {
            "kind": {"type": "string", "enum": ["order"]},
            "country": {"type": "string", "enum": [f"c{index}" for index in range(60)]},
        }
    )

    assert len(notes) == 2


def test_bounds_that_contradict_each_other_are_dropped():
    fields, _ = read({"count": {"type": "integer", "minimum": 5, "maximum": 1}})

    assert (fields["count"].minimum, fields["count"].maximum) == (None, None)


@pytest.mark.parametrize(
    ("name", "own"),
    [("id", True), ("gid", True), ("orderId", True), ("customer_id", False), ("idle", False)],
)
def test_an_own_id_is_recognised(name, own):
    assert is_own_id(name, "order") is own


def field(name, **more):
    return ProposedField(name=name, type="text", description="What", **more)


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["note", "title", "name"], "name"),
        (["passenger_name", "note"], "passenger_name"),
        (["shop_id", "note"], "note"),
        ([], None),
    ],
)
def test_the_label_is_what_people_call_a_thing(names, label):
    assert label_field([field(name) for name in names], "order") == label


def test_the_schema_of_a_field_says_what_it_takes():
    bounded = field("note", minimum=2.0, maximum=9.0)

    assert field_schema(bounded) == {
        "description": "What",
        "type": "string",
        "minLength": 2,
        "maxLength": 9,
    }


def test_an_object_with_an_id_and_no_name_is_known_by_its_id():
    item = {"type": "object", "properties": {"id": TEXT, "kind": TEXT}}

    fields, _ = read({"item": item})

    assert list(fields) == ["item_id", "item_kind"]


def test_ids_of_what_is_above_have_one_name():
    fields, _ = read({"account_sid": TEXT}, owners=["account"])

    assert list(fields) == ["account_id"]
