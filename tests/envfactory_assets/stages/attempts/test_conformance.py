import pytest

from envfactory_assets.stages.attempts.candidates import write_candidate
from envfactory_assets.stages.attempts.conformance import compare_declarations


@pytest.fixture(scope="module")
def tools(direct_verifier, proposal, good, tmp_path_factory):
    source = write_candidate(tmp_path_factory.mktemp("scratch"), proposal, good, ())
    return direct_verifier.look(source, ()).tools


def with_tool(proposal, name, **changes):
    """The proposal in which one tool has other values."""
    tools = [
        tool.model_copy(update=changes) if tool.name == name else tool for tool in proposal.tools
    ]
    return proposal.model_copy(update={"tools": tuple(tools)})


def only(findings):
    (finding,) = findings
    return finding


def test_what_was_proposed_is_found(proposal, tools):
    assert compare_declarations(proposal, tools) == []


def test_a_tool_left_out_is_found(proposal, tools):
    finding = only(compare_declarations(proposal, tools[1:]))

    assert finding.tool == "meeting_rooms__list_rooms"
    assert "the proposed tool 'list_rooms'" in finding.describe()


def test_another_effect_is_found(proposal, tools):
    finding = only(compare_declarations(with_tool(proposal, "list_rooms", effect="write"), tools))

    assert (finding.expected, finding.got) == ("effect='write', as proposed", "effect='read'")


def test_a_tool_that_no_agent_can_call_is_found(proposal, tools):
    kept_back = [{**tools[0], "actor": "user"}, *tools[1:]]

    assert only(compare_declarations(proposal, kept_back)).got == "actor='user'"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"floor": {"type": "integer"}}}, "the proposed argument 'floor'"),
        ({"properties": {"min_seats": {"type": "string"}}}, "string for argument 'min_seats'"),
        (
            {"properties": {"min_seats": {"type": "integer"}}, "required": ["min_seats"]},
            "the argument 'min_seats' to be required",
        ),
    ],
)
def test_other_arguments_are_found(proposal, tools, schema, expected):
    changed = with_tool(proposal, "list_rooms", input_schema={"type": "object", **schema})

    assert expected in only(compare_declarations(changed, tools)).expected


def test_a_required_argument_that_nobody_proposed_is_found(proposal, tools):
    schema = {"type": "object", "properties": {"room_id": {"type": "string"}}}
    changed = with_tool(proposal, "list_bookings", input_schema=schema)

    finding = only(compare_declarations(changed, tools))
    assert finding.got == "the required argument 'room_id'"


def test_a_result_field_left_out_is_found_inside_lists_too(proposal, tools):
    item = {"type": "object", "properties": {"floor": {"type": "integer"}}}
    rooms = {"type": "array", "items": item}
    schema = {"type": "object", "properties": {"rooms": rooms}}
    changed = with_tool(proposal, "list_rooms", output_schema=schema)

    assert "'rooms[].floor'" in only(compare_declarations(changed, tools)).expected


def test_a_choice_that_is_lost_is_found(proposal, tools):
    schema = {"type": "object", "properties": {"status": {"enum": ["booked", "moved"]}}}
    changed = with_tool(proposal, "cancel_booking", output_schema=schema)

    assert "the choices ['booked', 'moved']" in only(compare_declarations(changed, tools)).expected


def test_a_whole_number_will_do_for_a_number(proposal, tools):
    schema = {"type": "object", "properties": {"min_seats": {"type": ["number", "null"]}}}

    assert compare_declarations(with_tool(proposal, "list_rooms", input_schema=schema), tools) == []


def test_a_name_that_no_tool_can_have_is_found_under_a_longer_one(proposal, tools):
    schema = {
        "type": "object",
        "properties": {"json": {"type": "string"}},
        "required": ["json"],
    }
    odd = proposal.tools[0].model_copy(update={"name": "import", "input_schema": schema})
    built = {
        **tools[0],
        "name": "meeting_rooms__import_room",
        "input_schema": {
            "type": "object",
            "properties": {"room_json": {"type": "string"}},
            "required": ["room_json"],
        },
    }
    proposed = proposal.model_copy(update={"tools": (odd, *proposal.tools[1:])})

    assert compare_declarations(proposed, [built, *tools[1:]]) == []
    assert compare_declarations(proposed, tools) != []


def test_a_mass_of_tools_that_nobody_proposed_is_found(proposal, tools):
    few = [{**tools[0], "name": f"meeting_rooms__more_{number}"} for number in range(2)]
    many = [{**tools[0], "name": f"meeting_rooms__more_{number}"} for number in range(3)]

    assert compare_declarations(proposal, [*tools, *few]) == []
    assert "at most 2 tools" in only(compare_declarations(proposal, [*tools, *many])).expected


@pytest.mark.parametrize("environment_id", ["commerce.shop", "finance.payments"])
def test_a_shipped_environment_is_what_its_own_tools_say(shipped_proposal, environment_id):
    tools, proposal = shipped_proposal(environment_id)

    assert compare_declarations(proposal, tools) == []
