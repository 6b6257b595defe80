from envfactory_assets.records.proposals import ProposedField
from envfactory_assets.stages.proposals.output_writing import output_schema
from envfactory_assets.stages.proposals.source_tools import SourceTool

FIELDS = {
    "title": ProposedField(name="title", type="text", description="Title"),
    "note": ProposedField(name="note", type="text", description="Note", is_optional=True),
}


def tool(operation, result=None):
    return SourceTool("x", "x", "X.", operation, "story", "read", (), result or {})


def test_one_thing_comes_back_with_its_id_and_its_fields():
    schema = output_schema(tool("read"), FIELDS)

    assert list(schema["properties"]) == ["story_id", "title", "note"]
    assert schema["required"] == ["story_id", "title"]


def test_a_list_comes_back_under_the_plural():
    schema = output_schema(tool("search"), FIELDS)

    assert schema["required"] == ["stories"]
    assert schema["properties"]["stories"]["items"] == output_schema(tool("read"), FIELDS)


def test_other_tools_return_what_their_source_says():
    said = {"type": "object", "properties": {"done": {"type": "boolean"}}}

    written = output_schema(tool("other", said), FIELDS)

    assert written["properties"] == {"done": {"description": "Done", "type": "boolean"}}


def test_of_what_was_deleted_the_id_comes_back():
    schema = output_schema(tool("delete", {"type": "string"}), FIELDS)

    assert list(schema["properties"]) == ["story_id"]
