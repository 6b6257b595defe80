from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.source_tools import Argument, SourceTool
from envfactory_assets.stages.proposals.tool_choice import chosen_tools

HARD = Argument("x", {}, is_required=True, place="query")


def tool(name, operation, entity, arguments=()):
    return SourceTool(name, name, "Does it.", operation, entity, "read", tuple(arguments), {})


TOOLS = [
    tool("do", "other", None),
    tool("list_a_of_x", "list", "a", (HARD,)),
    tool("list_a", "list", "a"),
    tool("create_a", "create", "a"),
    tool("list_c", "list", "c"),
    tool("read_b", "read", "b"),
    tool("act_on_b", "other", "b"),
]


def names(max_tools):
    points = OpenPoints()
    chosen = chosen_tools(TOOLS, ["b", "a"], max_tools, points)
    return [one.name for one in chosen], points.sentences()


def test_one_tool_for_each_operation_comes_first_then_more_then_the_rest():
    assert names(10)[0] == [
        "read_b",
        "create_a",
        "list_a",
        "list_a_of_x",
        "act_on_b",
        "do",
    ]


def test_what_is_left_out_is_named():
    assert names(3) == (
        ["read_b", "create_a", "list_a"],
        ("4 of 7 tools are left out: do, list_a_of_x, list_c, act_on_b.",),
    )
