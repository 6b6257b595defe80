import json
from pathlib import Path

import pytest

from envfactory_assets.stages.proposals.overlap import (
    NO_OVERLAP,
    OverlapMeasure,
    Service,
    mark_duplicates,
    pool_services,
)
from envfactory_resources.clients.embedding.errors import UnknownThresholdError
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from envfactory_resources.clients.embedding.sentence_transformer import (
    SentenceTransformerEmbedding,
)
from sandboxes.core.catalog import Catalog

MEASURED = Path(__file__).parents[4] / "benchmarks" / "proposal_overlap.json"
AUCTION = {
    "search_auctions": "Find running auctions by category, ending soonest first.",
    "place_bid": "Bid on an auction, above the highest bid.",
    "rate_seller": "Rate a seller after an auction was won.",
    "retract_bid": "Take back a bid within the hour.",
}


@pytest.fixture(scope="module")
def pool():
    return pool_services(Catalog.discover())


@pytest.fixture
def measure():
    return OverlapMeasure(HashingEmbedding())


@pytest.fixture
def shop_tools(pool):
    return next(item.tools for item in pool if item.environment_id == "commerce.shop")


def test_the_packaged_model_tells_paraphrased_copies_from_neighbours(shop_tools, tmp_path):
    groups = json.loads(MEASURED.read_text())
    pool = [Service("commerce.shop", shop_tools)]
    measure = OverlapMeasure(SentenceTransformerEmbedding(cache_dir=tmp_path))
    copy = measure.overlap(Service("commerce.store", groups["copies"]["commerce.shop"]), pool)
    neighbour = measure.overlap(Service("commerce.auction", groups["neighbours"]["auction"]), pool)

    assert (copy.nearest, copy.is_duplicate) == ("commerce.shop", True)
    assert ("cancel_purchase", "cancel_order") in copy.pairs
    assert not neighbour.is_duplicate


def test_a_copy_is_marked_with_what_it_copies_and_a_new_service_is_not(
    proposal_of, measure, pool, shop_tools
):
    proposals = [proposal_of("store", shop_tools), proposal_of("auction", AUCTION)]
    copy, auction = mark_duplicates(proposals, pool, measure)

    assert (copy.status, copy.nearest, copy.overlap) == ("duplicate", "commerce.shop", 1.0)
    assert copy.status_reason.startswith("commerce.shop has 13 of its 13 tools already (")
    assert (auction.status, auction.status_reason) == ("proposed", "")
    assert auction.overlap < 0.5


def test_a_later_proposal_is_a_duplicate_of_an_earlier_one(proposal_of, measure):
    proposals = [proposal_of("auction", AUCTION), proposal_of("bidding", AUCTION)]
    first, second = mark_duplicates(proposals, [], measure)

    assert first.is_wanted
    assert (second.status, second.nearest) == ("duplicate", "commerce.auction")


def test_what_was_made_from_a_proposal_does_not_make_it_a_duplicate(proposal_of, measure):
    made = Service("commerce.auction", AUCTION, "imported")
    (proposal,) = mark_duplicates([proposal_of("auction", AUCTION)], [made], measure)

    assert (proposal.status, proposal.overlap, proposal.nearest) == ("proposed", 0.0, None)


def test_a_tool_of_the_pool_counts_once(measure):
    many = Service("a.b", {f"place_bid_{number}": AUCTION["place_bid"] for number in range(4)})
    overlap = measure.overlap(many, [Service("commerce.auction", AUCTION)])

    assert overlap.share == 0.25


def test_nothing_to_compare_is_no_overlap(measure):
    assert measure.overlap(Service("a.b", {}), [Service("c.d", AUCTION)]) == NO_OVERLAP
    assert measure.overlap(Service("a.b", AUCTION), []) == NO_OVERLAP


def test_a_model_that_nobody_measured_is_refused_until_it_has_a_threshold():
    with pytest.raises(UnknownThresholdError, match="hashing-64"):
        OverlapMeasure(HashingEmbedding(64))

    OverlapMeasure(HashingEmbedding(64), {"hashing-64": 0.6})
