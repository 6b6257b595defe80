import numpy as np

from envfactory_assets.stages.tool_graphs.similarity import leaf_text, propose_feeds
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding


class TableEmbedding:
    """Gives each known text a chosen vector and every other text its own direction."""

    model_id = "table"
    dimension = 8

    def __init__(self, known):
        self._known = known

    def encode(self, texts):
        fallback = np.eye(8, dtype=np.float32)[7]
        return np.array([self._known.get(text, fallback) for text in texts], dtype=np.float32)


def _tools(make_tool, kind="string"):
    giver = make_tool("desk__find", outputs={"rooms[].room_id": "Id of the room"})
    taker = make_tool("desk__book", inputs={"room_id": (kind, "Id of the room")})
    return giver, taker


def test_leaves_are_described_by_name_type_and_description(make_tool):
    giver, _ = _tools(make_tool)

    assert leaf_text(giver.outputs[0]) == "room_id (string): Id of the room"


def test_an_item_of_a_list_may_feed_a_single_input(make_tool):
    giver, taker = _tools(make_tool)

    (found,) = propose_feeds([giver, taker], [giver, taker], HashingEmbedding(), 0.9)

    assert (found.source.path, found.target.path) == ("rooms[].room_id", "room_id")
    assert found.similarity == 1.0


def test_the_threshold_belongs_to_the_pair(make_tool):
    giver, taker = _tools(make_tool)
    text = "room_id (string): Id of the room"
    far = make_tool("desk__leave", inputs={"key": "Key"})
    vectors = {text: np.eye(8)[0], "key (string): Key": np.array([0.6, 0.8, 0, 0, 0, 0, 0, 0])}

    strict = propose_feeds([giver], [taker, far], TableEmbedding(vectors), 0.61)
    loose = propose_feeds([giver], [taker, far], TableEmbedding(vectors), 0.6)

    assert [pair.target.tool for pair in strict] == ["desk__book"]
    assert [pair.target.tool for pair in loose] == ["desk__book", "desk__leave"]


def test_types_must_fit(make_tool):
    giver, taker = _tools(make_tool, kind="integer")

    assert propose_feeds([giver], [taker], TableEmbedding({}), 0.5) == []


def test_whole_numbers_fit_numbers_but_not_the_other_way(make_tool):
    whole = make_tool(
        "desk__count", inputs={"n": ("integer", "N")}, outputs={"n": ("integer", "N")}
    )
    real = make_tool("desk__weigh", inputs={"n": ("number", "N")}, outputs={"n": ("number", "N")})

    found = propose_feeds([whole, real], [whole, real], TableEmbedding({}), 0.0)

    assert ("desk__count", "desk__weigh") in {(p.source.tool, p.target.tool) for p in found}
    assert ("desk__weigh", "desk__count") not in {(p.source.tool, p.target.tool) for p in found}


def test_tools_without_leaves_propose_nothing(make_tool):
    assert propose_feeds([make_tool("desk__ping")], [], HashingEmbedding(), 0.5) == []
