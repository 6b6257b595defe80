from envfactory_assets.stages.proposals.listed_tools import (
    ListedTool,
    schema_of_members,
    source_tools,
)
from envfactory_assets.stages.proposals.open_points import OpenPoints

TEXT = {"type": "string"}


def listed(name, **properties):
    return ListedTool(name, "", {"type": "object", "properties": properties}, {})


def test_tools_without_a_usable_name_are_noted():
    points = OpenPoints()

    tools = source_tools([listed("é"), listed("ping")], points)

    assert [tool.name for tool in tools] == ["ping"]
    assert points.sentences() == ("Tools without a usable name are left out: 'é'.",)


def test_names_that_become_alike_are_told_apart():
    tools = source_tools([listed("get-note", id=TEXT), listed("getNote", id=TEXT)], OpenPoints())

    assert [tool.name for tool in tools] == ["get_note", "get_note_2"]


def test_a_tool_without_a_description_is_described_by_its_name():
    assert source_tools([listed("pingServer")], OpenPoints())[0].description == "Ping server."


def test_references_inside_a_schema_are_followed():
    schema = {"properties": {"note": {"$ref": "#/$defs/Note"}}, "$defs": {"Note": TEXT}}

    tools = source_tools([ListedTool("add_note", "", schema, {})], OpenPoints())

    assert tools[0].arguments[0].schema == TEXT


def test_a_map_of_members_is_taken_for_the_properties_of_a_schema():
    assert schema_of_members({"a": {"type": "string", "required": True}, "b": 3}) == {
        "type": "object",
        "properties": {"a": {"type": "string", "required": True}},
        "required": ["a"],
    }
    assert schema_of_members({"type": "object"}) == {"type": "object"}
    assert schema_of_members(None) == {}
