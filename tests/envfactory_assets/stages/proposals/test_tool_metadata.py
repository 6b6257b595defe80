import pytest

from envfactory_assets.stages.proposals.document_errors import DocumentError
from tests.envfactory_assets.stages.proposals.small_documents import (
    TEXT,
    TICKET,
    fields_of,
    inputs_of,
    proposed,
    tool_of,
)


def metadata():
    return {
        "class_name": "HelpDeskService",
        "description": "A desk for tickets. It is fictional.",
        "tools": [
            {
                "name": "create_ticket",
                "description": "Open a ticket.",
                "input_schema": {
                    "type": "object",
                    "properties": {"title": TEXT, "body": TEXT},
                    "required": ["title"],
                },
                "output_schema": TICKET,
            },
            {
                "name": "get_ticket",
                "description": "Show a ticket.",
                "input_schema": {"ticket_id": {"type": "string", "required": True}},
                "output_schema": {"title": TEXT, "body": TEXT},
            },
        ],
    }


def test_a_metadata_file_becomes_a_proposal():
    proposal = proposed(metadata(), "tool_metadata")

    assert proposal.service == "A desk for tickets."
    assert proposal.sources[0].title == "Help desk service"
    assert tool_of(proposal, "create_ticket").description == "Open a ticket."
    assert [tool.operation for tool in proposal.tools] == ["create", "read"]
    assert "priority" in fields_of(proposal, "ticket")


def test_schemas_that_are_maps_of_members_are_taken():
    proposal = proposed(metadata(), "tool_metadata")

    assert list(inputs_of(proposal, "get_ticket")) == ["ticket_id"]


def test_a_file_without_tools_is_refused():
    with pytest.raises(DocumentError, match="'class_name', 'description' and a list 'tools'"):
        proposed({"class_name": "X", "tools": {}}, "tool_metadata")
