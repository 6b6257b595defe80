import ast
import copy
from pathlib import Path

import envfactory_assets.stages.tool_graphs as package
from envfactory_assets.stages.tool_graphs.building import ToolGraph, build_tool_graph
from envfactory_assets.stages.tool_graphs.ground_truth import declared_feeds
from envfactory_assets.stages.tool_graphs.labels import Label, RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tool, graph_tools
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_assets.stages.tool_graphs.statistics import graph_statistics
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding

HOTEL = "travel.hotel_booking"
DECLARATIONS = {"identifier", "speakable", "is_label"}


def _build(tools, declared=frozenset()) -> ToolGraph:
    return build_tool_graph(
        tools, HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer(), declared
    )


def _without_declarations(tool):
    bare = copy.copy(tool)
    for direction in ("inputs", "outputs"):
        leaves = [
            leaf.model_copy(update={"identifier": None, "speakable": False, "is_label": False})
            for leaf in getattr(tool, direction)
        ]
        bare.__dict__[direction] = leaves
    return bare


def test_the_graph_does_not_depend_on_what_it_is_scored_against(catalog):
    ids = [source.environment_id for source in catalog.sources]
    bare = [
        graph_tool(environment_id, _without_declarations(tool))
        for environment_id in ids
        for tool in catalog.load(environment_id).tools.values()
    ]

    assert _build(bare) == _build(graph_tools(catalog, ids))


def test_only_the_scoring_modules_read_declarations():
    readers = {
        path.name
        for path in Path(package.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in DECLARATIONS
    }

    assert readers == {"ground_truth.py"}


def test_declared_pairs_are_only_marked(catalog):
    tools = graph_tools(catalog, [HOTEL])
    declared = declared_feeds(catalog, [HOTEL]).all_pairs

    marked, unmarked = _build(tools, declared).edges, _build(tools).edges

    assert [edge.model_copy(update={"declared": False}) for edge in marked] == list(unmarked)
    assert any(edge.declared for edge in marked)


def test_the_order_of_tools_does_not_matter(catalog):
    tools = graph_tools(catalog, [HOTEL])

    assert _build(tools[::-1]) == _build(tools)


def test_every_edge_says_why_it_is_there_or_not(catalog):
    edges = _build(graph_tools(catalog, [HOTEL])).edges

    assert all(edge.reason for edge in edges)
    assert {edge.kept for edge in edges} == {True, False}
    assert {(edge.kind, edge.similarity is None) for edge in edges} == {
        ("feeds", False),
        ("precedes", True),
    }


def test_a_booking_is_cancelled_by_the_id_that_booking_gave(catalog):
    edges = _build(graph_tools(catalog, [HOTEL])).edges

    kept = {
        (edge.source_tool, edge.source_parameter)
        for edge in edges
        if edge.kept and edge.target_tool == "hotel_booking__cancel_booking"
    }
    assert ("hotel_booking__book_room", "booking_id") in kept
    assert ("hotel_booking__list_bookings", "bookings[].booking_id") in kept
    assert ("hotel_booking__get_booking", "booking_id") not in kept


def test_parameters_are_rows_of_inputs_and_outputs(catalog):
    rows = _build(graph_tools(catalog, [HOTEL])).parameters

    labelled = [row for row in rows if row.source]
    assert {row.direction for row in labelled} == {"input"}
    assert all(row.domain == "travel" and row.environment_id == HOTEL for row in rows)
    room = next(row for row in labelled if row.parameter == "room_id")
    assert (room.tool, room.effect, room.required, room.source, room.made_by) == (
        "hotel_booking__book_room",
        "write",
        True,
        "internal",
        "rules",
    )


def test_no_tools_make_an_empty_graph():
    assert _build([]) == ToolGraph((), ())


class EverythingIsAnId:
    """Says of every input that only a tool can give it."""

    made_by = "labeller:wrong"

    def label(self, tools):
        """Label all inputs alike."""
        return {
            leaf.key: Label("internal", "it looks like one")
            for tool in tools
            for leaf in tool.inputs
        }


def test_a_needed_input_that_no_tool_gives_is_the_users_to_say(make_tool):
    tools = [
        make_tool("inn__find", inputs={"city": "City", "note?": "Note"}, outputs={"inn_id": "Id"}),
        make_tool("inn__show", inputs={"inn_id": "Id of the inn"}, outputs={"story": "Its story"}),
    ]
    graph = build_tool_graph(
        tools, HashingEmbedding(), 0.7, EverythingIsAnId(), RuleReviewer(), frozenset()
    )

    labels = {
        row.parameter: (row.source, row.reason)
        for row in graph.parameters
        if row.direction == "input"
    }
    source, reason = labels["city"]
    assert source == "external"
    assert reason.startswith("by rules, as no tool gives what the model says one must give")
    assert labels["note"] == ("internal", "it looks like one")
    assert labels["inn_id"] == ("internal", "it looks like one")
    assert graph_statistics(graph.edges, graph.parameters).inputs_without_producer == ()
