import pytest

from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.review import Review, RuleReviewer
from envfactory_assets.stages.tool_graphs.similarity import Candidate


def _review(tools, *pairs) -> Review:
    leaves = {("output", *leaf.key): leaf for tool in tools for leaf in tool.outputs}
    leaves |= {("input", *leaf.key): leaf for tool in tools for leaf in tool.inputs}
    candidates = [
        Candidate(leaves["output", *source], leaves["input", *target], 0.9)
        for source, target in pairs
    ]
    return RuleReviewer().review(tools, RuleLabeller().label(tools), candidates)


def _verdict(make_tool, output, text, target_path, target_text, *, giver_inputs=None):
    giver = make_tool("desk__find_rooms", inputs=giver_inputs, outputs={output: text})
    taker = make_tool("desk__book", effect="write", inputs={target_path: target_text})
    pair = ((giver.tool, output), (taker.tool, target_path.removesuffix("?")))
    return _review([giver, taker], pair).judged[0]


def test_an_id_feeds_an_id_of_the_same_thing(make_tool):
    verdict = _verdict(make_tool, "rooms[].room_id", "Id of the room", "room_id", "Id of the room")

    assert verdict.kept
    assert verdict.reason == "both are the id of a room"


def test_a_qualified_id_is_fed_by_the_plain_one(make_tool):
    verdict = _verdict(make_tool, "accounts[].id", "Id", "from_account_id", "Id of the account")

    assert verdict.kept
    assert "account" in verdict.reason


@pytest.mark.parametrize(
    ("output", "text", "target", "target_text", "reason"),
    [
        ("hotels[].hotel_id", "Id of the hotel", "room_id", "Id of the room", "id of a hotel"),
        ("rooms[].name", "Name", "room_id", "Id of the room", "'rooms[].name' is none"),
        ("rooms[].note", "Note", "note", "Note to add", "no result decides it"),
        ("price", ("number", "Price"), "price", ("number", "Price"), "a number the user states"),
        ("day", ("date", "Day"), "day", ("date", "Day"), "a date the user states"),
        ("owner_city", "City", "email", "E-mail address", "is an e-mail address, 'owner_city' is"),
    ],
)
def test_pairs_that_make_no_sense_are_pruned_with_a_reason(
    make_tool, output, text, target, target_text, reason
):
    verdict = _verdict(make_tool, output, text, target, target_text)

    assert not verdict.kept
    assert reason in verdict.reason


def test_an_output_that_repeats_its_own_input_feeds_nothing(make_tool):
    verdict = _verdict(
        make_tool,
        "room_id",
        "Id of the room",
        "room_id",
        "Id of the room",
        giver_inputs={"room_id": "Id of the room"},
    )

    assert not verdict.kept
    assert "only repeats 'room_id'" in verdict.reason


def test_a_listed_id_is_no_repetition_of_an_input_of_that_name(make_tool):
    verdict = _verdict(
        make_tool,
        "followers[].user_id",
        "Id of the user",
        "user_id",
        "Id of the user",
        giver_inputs={"user_id": "Id of the user"},
    )

    assert verdict.kept


def test_a_tool_feeds_itself_only_when_a_listing_narrows_itself(make_tool):
    folder = {"folder_id?": "Id of the folder"}
    browse = make_tool("files__list", inputs=folder, outputs={"folders[].folder_id": "Id of it"})
    rename = make_tool(
        "files__rename",
        effect="write",
        inputs={"folder_id": "Id of the folder"},
        outputs={"folders[].folder_id": "Id of the folder"},
    )

    review = _review(
        [browse, rename],
        ((browse.tool, "folders[].folder_id"), (browse.tool, "folder_id")),
        ((rename.tool, "folders[].folder_id"), (rename.tool, "folder_id")),
    )

    assert [verdict.kept for verdict in review.judged] == [True, False]
    assert "narrows itself" in review.judged[0].reason
    assert review.judged[1].reason == "a tool does not wait for its own result"


def test_ids_do_not_cross_from_one_environment_to_another(make_tool):
    giver = make_tool("shop__list_orders", outputs={"orders[].order_id": "Id of the order"})
    taker = make_tool("post__track", inputs={"order_id": "Id of the order"})

    review = _review([giver, taker], ((giver.tool, "orders[].order_id"), (taker.tool, "order_id")))

    assert not review.judged[0].kept
    assert "mean nothing in another" in review.judged[0].reason


def test_a_producer_that_similarity_missed_is_added_with_a_reason(make_tool):
    giver = make_tool("desk__search_hotels", outputs={"hotels[].id": "Key used for booking"})
    taker = make_tool("desk__review_hotel", effect="write", inputs={"hotel_id": "Id of the hotel"})

    added = _review([giver, taker]).added

    assert [(verdict.source.path, verdict.target.path) for verdict in added] == [
        ("hotels[].id", "hotel_id")
    ]
    assert added[0].reason == "missed by similarity: both are the id of a hotel"


def test_nothing_is_added_that_would_be_pruned(make_tool):
    own = make_tool(
        "desk__get_room",
        inputs={"room_id": "Id of the room"},
        outputs={"room_id": "Id of the room", "hotel_id": "Id of the hotel"},
    )
    other = make_tool("desk__free_room", effect="write", inputs={"room_id": "Id of the room"})

    assert _review([own, other]).added == ()


def test_a_list_of_people_takes_their_addresses(make_tool):
    giver = make_tool("mail__find", outputs={"contacts[].email": "Where to write"})
    taker = make_tool("desk__plan", effect="write", inputs={"guests[]?": "People to invite"})

    added = _review([giver, taker]).added

    assert [verdict.reason for verdict in added] == [
        "missed by similarity: both name an e-mail address"
    ]
