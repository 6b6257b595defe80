import random

import igraph
import pytest

from envfactory_assets.stages.tool_graphs.building import build_tool_graph
from envfactory_assets.stages.tool_graphs.graph import build_graph, graphml, igraph_chance
from envfactory_assets.stages.tool_graphs.ground_truth import declared_feeds
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.picture import draw_tool_graph
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_assets.stages.tool_graphs.statistics import graph_statistics
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding


@pytest.fixture(scope="module")
def hotel(catalog):
    tools = graph_tools(catalog, ["travel.hotel_booking"])
    return build_tool_graph(tools, HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer())


def _edges_by_name(graph):
    names = graph.vs["name"]
    return sorted(
        (names[edge.source], names[edge.target], edge["kind"], edge["reason"]) for edge in graph.es
    )


def test_the_graph_holds_the_kept_edges_between_leaves_and_tools(hotel):
    graph = build_graph(hotel.edges, hotel.parameters)

    named = {(source, target, kind) for source, target, kind, _ in _edges_by_name(graph)}
    assert (
        "hotel_booking__list_rooms > rooms[].room_id",
        "hotel_booking__book_room < room_id",
        "feeds",
    ) in named
    assert ("hotel_booking__get_hotel", "hotel_booking__review_hotel", "precedes") in named
    assert sum(kind in ("feeds", "precedes") for *_, kind in named) == sum(
        edge.kept for edge in hotel.edges
    )
    assert graph.is_directed()


def test_graphml_can_be_read_back(hotel, tmp_path):
    graph = build_graph(hotel.edges, hotel.parameters)
    path = tmp_path / "travel.graphml"
    path.write_bytes(graphml(graph))

    read = igraph.Graph.Read_GraphML(str(path))

    assert read.vs["name"] == graph.vs["name"]
    assert read.vs["effect"] == graph.vs["effect"]
    assert _edges_by_name(read) == _edges_by_name(graph)


def test_equal_rows_give_equal_bytes_in_any_order(hotel):
    edges, parameters = list(hotel.edges), list(hotel.parameters)
    random.Random(3).shuffle(edges)
    random.Random(4).shuffle(parameters)

    assert graphml(build_graph(edges, parameters)) == graphml(
        build_graph(hotel.edges, hotel.parameters)
    )
    assert draw_tool_graph(edges, parameters, "Travel") == draw_tool_graph(
        hotel.edges, hotel.parameters, "Travel"
    )


def test_the_picture_is_a_png_and_leaves_global_chance_alone(hotel):
    before = random.getstate()

    picture = draw_tool_graph(hotel.edges, hotel.parameters, "Travel")

    assert picture.startswith(b"\x89PNG")
    assert random.getstate() == before


def test_a_graph_without_tools_can_still_be_drawn():
    assert draw_tool_graph([], [], "Nothing").startswith(b"\x89PNG")


def test_igraph_draws_the_same_from_the_same_seed():
    def draw():
        with igraph_chance(7):
            return igraph.Graph.Erdos_Renyi(n=30, p=0.2).get_edgelist()

    assert draw() == draw()


def test_statistics_find_no_hole_in_a_shipped_environment(hotel):
    found = graph_statistics(hotel.edges, hotel.parameters)

    assert (found.tools, found.components) == (13, 1)
    assert found.inputs_without_producer == ()
    assert found.unreachable_tools == ()
    assert found.feeds_kept + found.feeds_pruned + found.precedences == len(hotel.edges)


def test_statistics_name_what_cannot_be_had(hotel):
    cut = [edge for edge in hotel.edges if edge.source_tool != "hotel_booking__list_rooms"]

    found = graph_statistics(cut, hotel.parameters)

    assert found.inputs_without_producer == ("hotel_booking__book_room: room_id",)
    assert found.unreachable_tools == ("hotel_booking__book_room",)
    none = graph_statistics([], hotel.parameters)
    assert none.components == none.tools
    assert "hotel_booking__cancel_booking" in none.unreachable_tools
    assert "hotel_booking__search_hotels" not in none.unreachable_tools


def test_what_only_the_user_sees_feeds_nothing(hotel, catalog):
    sign = "hotel_booking__sign_registration"
    rows = [row for row in hotel.parameters if row.tool == sign]
    assert [(row.parameter, row.direction) for row in rows] == [("booking_id", "input")]
    kept = [edge for edge in hotel.edges if edge.kept and edge.kind == "feeds"]
    assert sign in {edge.target_tool for edge in kept}
    assert sign not in {edge.source_tool for edge in kept}
    declared = declared_feeds(catalog, ["travel.hotel_booking"]).all_pairs
    assert sign not in {source for source, *_ in declared}
