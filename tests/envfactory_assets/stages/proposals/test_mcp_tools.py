import pytest

from envfactory_assets.stages.proposals.document_errors import DocumentError
from tests.envfactory_assets.stages.proposals.small_documents import (
    TEXT,
    TICKET,
    desk,
    fields_of,
    inputs_of,
    listed,
    note_of,
    proposed,
    tool_of,
)


def test_names_of_all_styles_say_what_tools_do():
    proposal = proposed(desk(), "mcp_tools")

    assert {(tool.name, tool.operation, tool.entity, tool.effect) for tool in proposal.tools} == {
        ("create_ticket", "create", "ticket", "write"),
        ("get_ticket", "read", "ticket", "read"),
        ("update_ticket", "update", "ticket", "write"),
        ("ticket_delete", "delete", "ticket", "write"),
        ("list_tickets", "list", "ticket", "read"),
        ("search_tickets", "search", "ticket", "read"),
        ("ping", "other", None, "read"),
    }


def test_the_server_says_what_the_service_is():
    proposal = proposed(desk(), "mcp_tools")

    assert proposal.service == "Tickets of customers."
    assert proposal.sources[0].title == "Help desk"


def test_fields_come_from_what_is_sent_and_what_comes_back():
    fields = fields_of(proposed(desk(), "mcp_tools"), "ticket")

    assert list(fields) == ["title", "body", "priority", "opened_at"]
    assert fields["priority"].choices == ("low", "high")
    assert [name for name, field in fields.items() if not field.is_optional] == ["title"]


def test_inputs_follow_the_conventions_of_names():
    proposal = proposed(desk(), "mcp_tools")

    assert inputs_of(proposal, "get_ticket")["ticket_id"]["type"] == "string"
    assert list(inputs_of(proposal, "update_ticket")) == ["ticket_id", "title", "body", "priority"]
    assert list(inputs_of(proposal, "list_tickets")) == ["limit"]
    assert list(inputs_of(proposal, "search_tickets")) == ["query", "min_opened_at"]


def test_annotations_say_the_effect_where_names_do_not():
    tools = [
        listed("sync_all", hints={"readOnlyHint": True}),
        listed("ping", hints={"destructiveHint": True}),
        listed("frobnicate"),
    ]

    proposal = proposed({"tools": tools}, "mcp_tools")

    assert [tool.effect for tool in proposal.tools] == ["read", "write", "write"]


def test_a_name_that_its_annotation_denies_is_of_no_known_kind():
    tools = [*desk()["tools"], listed("list_ticket", hints={"readOnlyHint": False})]

    proposal = proposed({"tools": tools}, "mcp_tools")

    assert tool_of(proposal, "list_ticket").operation == "other"
    assert "list_ticket" in note_of(proposal, "Names and annotations disagree")


@pytest.mark.parametrize(
    "tool",
    [
        listed("create_tickets", required=["tickets"], tickets={"type": "array", "items": TICKET}),
        listed("update_ticket", required=["method"], method={"enum": ["a", "b"]}, ticket_id=TEXT),
        listed("add_note_to_ticket", required=["ticket_id"], ticket_id=TEXT, note=TEXT),
        listed("get_ticket", title=TEXT, body=TEXT),
        listed("get_ticket", required=["project_id"], project_id=TEXT),
        listed("list_tickets", output={"properties": {"text": TEXT}}),
    ],
    ids=["many at once", "several in one", "on something else", "no key", "other key", "no list"],
)
def test_what_is_no_plain_operation_is_of_no_known_kind(tool):
    proposal = proposed({"tools": [tool]}, "mcp_tools")

    assert proposal.tools[0].operation == "other"


def test_a_name_that_all_tools_begin_with_says_nothing():
    tools = [{**tool, "name": f"desk_{tool['name']}"} for tool in desk()["tools"]]

    proposal = proposed({"tools": tools}, "mcp_tools")

    assert tool_of(proposal, "desk_create_ticket").operation == "create"


def test_what_says_where_a_thing_is_is_dropped_where_its_id_is_enough():
    place = {"owner": TEXT, "repo": TEXT}
    number = {"issue_number": {"type": "number"}}
    tools = [
        listed("create_issue", required=["owner", "repo", "title"], **place, title=TEXT),
        listed("get_issue", required=["owner", "repo", "issue_number"], **place, **number),
        listed("update_issue", required=["owner", "issue_number"], **place, **number, title=TEXT),
        listed(
            "list_issues", required=["owner", "repo"], **place, state={"enum": ["open", "shut"]}
        ),
    ]

    proposal = proposed({"tools": tools}, "mcp_tools")

    assert list(inputs_of(proposal, "create_issue")) == ["owner", "repo", "title"]
    assert list(inputs_of(proposal, "get_issue")) == ["issue_id"]
    assert list(inputs_of(proposal, "update_issue")) == ["issue_id", "title"]
    assert list(inputs_of(proposal, "list_issues")) == ["owner", "repo", "state"]
    assert fields_of(proposal, "issue")["state"].choices == ("open", "shut")
    assert "update_issue.repo" in note_of(proposal, "Inputs that say where a thing is")


def test_things_of_which_nothing_is_known_are_left_out():
    proposal = proposed({"tools": [listed("list_clouds"), listed("ping")]}, "mcp_tools")

    assert proposal.entities == ()
    assert tool_of(proposal, "list_clouds").operation == "other"
    assert "cloud" in note_of(proposal, "Things of which no schema says")


def test_wrapped_and_bare_lists_are_taken():
    tools = desk()["tools"]

    wrapped = proposed({"jsonrpc": "2.0", "result": {"tools": tools}}, "mcp_tools")

    assert len(wrapped.tools) == len(proposed(tools, "mcp_tools").tools) == 7


@pytest.mark.parametrize("content", [{}, {"tools": []}, {"tools": [{"name": "é"}]}, "tools", None])
def test_a_document_without_tools_is_refused(content):
    with pytest.raises(DocumentError, match="lists no tool"):
        proposed(content, "mcp_tools")
