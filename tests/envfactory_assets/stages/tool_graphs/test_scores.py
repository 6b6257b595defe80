from envfactory_assets.records.tool_graphs import ToolGraphEdge
from envfactory_assets.stages.tool_graphs.building import build_tool_graph
from envfactory_assets.stages.tool_graphs.ground_truth import DeclaredFeeds, declared_feeds
from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import graph_tools
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_assets.stages.tool_graphs.scores import score_edges, score_labels, score_pairs
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding

HOTEL = "travel.hotel_booking"
REAL = ("a__list", "ids[]", "a__use", "id")
OTHER = ("a__make", "id", "a__use", "id")
WRONG = ("a__list", "names[]", "a__use", "id")
ECHO = ("a__get", "id", "a__use", "id")
DECLARED = DeclaredFeeds(real=frozenset({REAL, OTHER}), void=frozenset({ECHO}))


def _edge(key, *, kept=True, origin="similarity") -> ToolGraphEdge:
    return ToolGraphEdge(
        domain="office",
        kind="feeds",
        source_tool=key[0],
        source_parameter=key[1],
        target_tool=key[2],
        target_parameter=key[3],
        similarity=0.9,
        origin=origin,
        kept=kept,
        reason="because",
        declared=key in DECLARED.all_pairs,
        model_id="table",
        made_by="rules",
    )


def test_the_review_is_scored_beside_similarity_alone():
    edges = [_edge(REAL), _edge(WRONG, kept=False), _edge(OTHER, origin="review")]

    scores = score_edges(edges, DECLARED)

    alone, reviewed = scores.similarity, scores.reviewed
    assert (alone.right, alone.wrong, alone.missed) == (1, 1, 1)
    assert (alone.precision, alone.recall, alone.f1) == (0.5, 0.5, 0.5)
    assert (reviewed.precision, reviewed.recall, reviewed.f1) == (1.0, 1.0, 1.0)


def test_repeated_inputs_count_neither_way():
    score = score_pairs({REAL, ECHO}, DECLARED)

    assert (score.right, score.wrong, score.missed) == (1, 0, 1)


def test_proposing_nothing_is_precise_and_finds_nothing():
    score = score_pairs(set(), DECLARED)

    assert (score.precision, score.recall, score.f1) == (1.0, 0.0, 0.0)


def test_declared_feeds_leave_out_what_a_call_only_repeats(catalog):
    declared = declared_feeds(catalog, [HOTEL])

    listed = (
        "hotel_booking__list_bookings",
        "bookings[].booking_id",
        "hotel_booking__cancel_booking",
        "booking_id",
    )
    shown = ("hotel_booking__get_booking", "booking_id", *listed[2:])
    assert listed in declared.real
    assert shown in declared.void


def test_the_review_never_makes_a_shipped_domain_worse(catalog):
    for domain in sorted({source.domain for source in catalog.sources}):
        ids = [source.environment_id for source in catalog.in_domain(domain)]
        graph = build_tool_graph(
            graph_tools(catalog, ids), HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer()
        )

        scores = score_edges(graph.edges, declared_feeds(catalog, ids))

        assert scores.reviewed.f1 >= scores.similarity.f1
        assert scores.reviewed.precision >= 0.9, domain
        assert scores.reviewed.recall >= 0.8, domain


def test_labels_are_scored_by_what_is_declared_internal(catalog):
    graph = build_tool_graph(
        graph_tools(catalog, [HOTEL]), HashingEmbedding(), 0.7, RuleLabeller(), RuleReviewer()
    )
    room = ("hotel_booking__book_room", "room_id")

    score = score_labels(graph.parameters, {room: "internal", ("x__y", "z_id"): "internal"})

    assert (score.right, score.missed) == (1, 1)
    assert score.wrong > 0
