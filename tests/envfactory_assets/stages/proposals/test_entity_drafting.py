from envfactory_assets.stages.proposals.entity_drafting import choose_entities
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.source_tools import Argument, SourceTool

NOTE = Argument("note", {"type": "string"}, is_required=True, place="body")
TITLE = Argument("title", {"type": "string"}, is_required=True, place="body")


def tool(operation, entity, arguments=(NOTE, TITLE)):
    effect = "read" if operation in ("read", "list", "search") else "write"
    return SourceTool(
        source=f"{operation} {entity}",
        name=f"{operation}_{entity}",
        description="Does it.",
        operation=operation,
        entity=entity,
        effect=effect,
        arguments=tuple(arguments),
        result={},
    )


def choose(tools, **settings):
    points = OpenPoints()
    return choose_entities(tools, ImportSettings(**settings), points), points.sentences()


def test_the_best_covered_entities_come_first():
    tools = [tool("create", "a"), tool("create", "b"), tool("read", "b"), tool("delete", "b")]

    choice, _ = choose(tools)

    assert choice.kept == ("b", "a")


def test_an_entity_that_does_not_fit_whole_is_left_out():
    tools = [tool(kind, name) for name in "ab" for kind in ("create", "read", "delete")]

    choice, notes = choose(tools, max_tools=5)

    assert (choice.kept, choice.beyond) == (("a",), ("b",))
    assert notes == ("There is no room for these things: b.",)


def test_an_entity_of_which_no_schema_says_anything_is_hollow():
    choice, notes = choose([tool("list", "a", ())])

    assert (choice.kept, choice.beyond) == ((), ())
    assert notes == ("Things of which no schema says what they hold are left out: a.",)


def test_a_thing_of_one_field_that_no_tool_shows_is_left_out():
    choice, notes = choose([tool("create", "a", (NOTE,)), tool("create", "b")])

    assert choice.kept == ("b",)
    assert notes == ("Things that no tool shows are left out: a.",)
