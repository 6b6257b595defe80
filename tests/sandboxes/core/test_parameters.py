from sandboxes.core.catalog import Catalog
from sandboxes.core.parameters import flatten, inline_references, strip_annotations


def test_nested_objects_lists_and_mappings_flatten_to_leaves(notes: Catalog) -> None:
    tool = notes.tools["notes__add_note"]
    assert [leaf.path for leaf in tool.inputs] == [
        "title",
        "author.email",
        "author.nickname",
        "start",
        "due",
        "remind_at",
        "steps[].text",
        "steps[].minutes",
        "priority",
        "weight",
        "kind",
        "is_pinned",
    ]
    outputs = [leaf.path for leaf in notes.tools["notes__list_notes"].outputs]
    assert outputs == ["notes[].note_id", "notes[].title", "counts{}"]


def test_a_leaf_is_required_when_everything_above_it_is(notes: Catalog) -> None:
    required = [leaf.path for leaf in notes.tools["notes__add_note"].inputs if leaf.required]
    assert required == ["title", "author.email", "start", "due", "remind_at"]


def test_a_leaf_knows_its_type_literals_default_and_examples(notes: Catalog) -> None:
    leaves = {leaf.path: leaf for leaf in notes.tools["notes__add_note"].inputs}
    assert (leaves["due"].type, leaves["remind_at"].type) == ("date", "date-time")
    assert (leaves["author.nickname"].type, leaves["author.nickname"].default) == ("string", None)
    assert (leaves["kind"].enum, leaves["kind"].default) == (("plain", "list"), "plain")
    assert leaves["steps[].text"].examples == ("Call", "Write")
    assert leaves["steps[].minutes"].name == "minutes"
    assert leaves["steps[].minutes"].is_list


def test_only_a_list_of_plain_values_lends_its_description_to_its_items() -> None:
    schema = {"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}
    described = {"properties": {"tags": {**schema["properties"]["tags"], "description": "Words"}}}
    assert [leaf.description for leaf in flatten(described, "input")] == ["Words"]


def test_an_argument_may_be_called_title_and_hold_one_as_its_default() -> None:
    schema = {
        "title": "Arguments",
        "properties": {
            "title": {"$ref": "#/$defs/Text", "title": "Title"},
            "filter": {"type": "object", "default": {"title": "kept"}, "title": "Filter"},
        },
        "$defs": {"Text": {"type": "string", "title": "Text"}},
    }
    assert inline_references(schema) == {
        "properties": {
            "title": {"type": "string"},
            "filter": {"type": "object", "default": {"title": "kept"}},
        }
    }


def test_internal_keys_are_stripped_at_every_depth() -> None:
    schema = {"x-a": 1, "items": [{"x-label": True, "type": "string"}]}
    assert strip_annotations(schema) == {"items": [{"type": "string"}]}
