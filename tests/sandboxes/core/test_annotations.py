import json

from sandboxes.core.catalog import Catalog


def test_identifiers_and_labels_reach_the_leaves(notes: Catalog) -> None:
    shown = {leaf.path: leaf for leaf in notes.tools["notes__get_note"].outputs}
    assert shown["note_id"].identifier == "NoteId"
    assert not shown["note_id"].speakable
    assert shown["title"].is_label


def test_a_speakable_identifier_says_so(notes: Catalog) -> None:
    inputs = {leaf.path: leaf for leaf in notes.tools["notes__add_note"].inputs}
    assert inputs["author.email"].identifier == "EmailAddress"
    assert inputs["author.email"].speakable


def test_a_model_sees_neither_identifiers_nor_labels(notes: Catalog) -> None:
    for tool in notes.tools.values():
        seen = json.dumps([tool.as_function(), tool.schema_text(), tool.output_schema])
        assert "x-" not in seen
        assert "Identifier" not in seen
