from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.openapi_messages import MessageReader
from envfactory_assets.stages.proposals.schema_inlining import SchemaInliner


def read(operation, shared=()):
    points = OpenPoints()
    reader = MessageReader(SchemaInliner({}, points), points)
    return reader.message(operation, list(shared), "POST /x"), points.sentences()


def body(media, schema):
    return {"requestBody": {"content": {media: {"schema": schema}}}}


OBJECT = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}


def test_an_operation_overrides_a_parameter_of_its_path():
    shared = [{"name": "id", "in": "path", "schema": {"type": "string"}}]
    own = [{"name": "id", "in": "path", "schema": {"type": "integer"}}]

    message, _ = read({"parameters": own}, shared)

    assert [one.schema for one in message.arguments] == [{"type": "integer"}]
    assert message.arguments[0].is_required


def test_forms_are_bodies_too():
    message, _ = read(body("application/x-www-form-urlencoded", OBJECT))

    assert {one.name: one.is_required for one in message.arguments} == {"name": True, "age": False}


def test_json_is_recognised_by_its_ending():
    message, _ = read(body("application/merge-patch+json; charset=utf-8", OBJECT))

    assert len(message.arguments) == 2


def test_a_body_of_another_kind_is_noted_and_the_message_is_not_whole():
    message, notes = read(body("application/octet-stream", {"type": "string"}))

    assert not message.is_whole
    assert notes == ("Bodies that are neither JSON nor forms are left out: POST /x.",)


def test_files_in_a_form_are_noted():
    schema = {"type": "object", "properties": {"photo": {"type": "string", "format": "binary"}}}

    message, notes = read(body("multipart/form-data", schema))

    assert message.arguments == ()
    assert notes == ("Files are left out: POST /x photo.",)


def test_read_only_members_are_not_sent():
    schema = {"properties": {"id": {"readOnly": True}, "name": {"type": "string"}}}

    message, _ = read(body("application/json", schema))

    assert [one.name for one in message.arguments] == ["name"]


def test_a_body_that_is_a_list_is_one_argument():
    message, _ = read(body("application/json", {"type": "array", "items": OBJECT}))

    assert [one.name for one in message.arguments] == ["body"]


def test_the_first_good_json_result_counts():
    points = OpenPoints()
    reader = MessageReader(SchemaInliner({}, points), points)
    json = {"content": {"application/json": {"schema": {"type": "string"}}}}

    result = reader.result({"responses": {"404": json, "204": {}, "201": json}}, "POST /x")

    assert result == {"type": "string"}
