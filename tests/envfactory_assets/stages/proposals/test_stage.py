import pytest

from envfactory_assets.records.attempts import TokenUsage
from envfactory_assets.stages.proposals.coverage import measure_coverage
from envfactory_assets.stages.proposals.decisions import Decision
from envfactory_assets.stages.proposals.overlap import OverlapMeasure, Service, pool_services
from envfactory_assets.stages.proposals.researcher import (
    DroppedProposal,
    Research,
    RuleResearcher,
)
from envfactory_assets.stages.proposals.stage import propose
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from sandboxes.core.catalog import Catalog

BIDS = {"place_bid": "Bid on an auction.", "retract_bid": "Take back a bid within the hour."}
RAFFLES = {"buy_ticket": "Buy a raffle ticket.", "draw_winner": "Draw who wins a raffle."}


class PreparedResearcher:
    """Proposes what it was given; remembers what it was told."""

    made_by = "researcher:prepared"

    def __init__(self, *proposals):
        self.proposals = proposals
        self.told = None

    def propose(self, domain, coverage, count, earlier=()):
        self.told = (domain, count, [item.name for item in earlier])
        return Research(
            proposals=self.proposals,
            dropped=(DroppedProposal("faulty", "No rule."),),
            notes=("A note.",),
            usage=TokenUsage(request_count=2),
        )


@pytest.fixture(scope="module")
def catalog():
    return Catalog.discover()


@pytest.fixture
def made(catalog):
    """Make the rows of the commerce domain."""
    services = pool_services(catalog)

    def make(documents=(), researcher=None, decisions=None, extra_pool=(), count=1, refused=()):
        return propose(
            "commerce",
            documents,
            researcher or RuleResearcher(),
            measure_coverage(catalog, "commerce"),
            [*services, *extra_pool],
            OverlapMeasure(HashingEmbedding()),
            decisions or {},
            count,
            refused,
        )

    return make


def test_rows_come_from_documents_and_the_researcher_in_order_of_id(made, proposal_of):
    researcher = PreparedResearcher(proposal_of("auction", BIDS, origin="generated"))
    refused = [DroppedProposal("document_refused", "Not JSON.")]
    result = made([proposal_of("raffle", RAFFLES)], researcher, count=3, refused=refused)

    assert [row.environment_id for row in result.rows] == ["commerce.auction", "commerce.raffle"]
    assert researcher.told == ("commerce", 3, ["raffle"])
    assert result.dropped_by_reason == {"document_refused": 1, "faulty": 1}
    assert (result.notes, result.usage.request_count) == (("A note.",), 2)
    assert result.wanted_count == 2


def test_the_document_wins_a_name_and_a_like_proposal(made, proposal_of):
    researcher = PreparedResearcher(
        proposal_of("auction", RAFFLES, origin="generated"),
        proposal_of("bidding", BIDS, origin="generated"),
    )
    result = made([proposal_of("auction", BIDS)], researcher)
    by_name = {row.name: row for row in result.rows}

    assert by_name["auction"].origin == "imported"
    assert (by_name["auction_2"].origin, by_name["auction_2"].status) == ("generated", "proposed")
    assert (by_name["bidding"].status, by_name["bidding"].nearest) == (
        "duplicate",
        "commerce.auction",
    )
    assert "commerce.auction is proposed as commerce.auction_2" in result.notes[1]


def test_a_short_name_of_any_domain_is_not_given_twice(made, proposal_of):
    result = made([proposal_of("calendar", BIDS), proposal_of("shop", RAFFLES)])

    assert [row.environment_id for row in result.rows] == ["commerce.calendar_2", "commerce.shop_2"]
    assert "its short name is that of office.calendar" in " ".join(result.notes)


def test_what_became_an_environment_keeps_its_name_and_is_no_duplicate_of_itself(made, proposal_of):
    grown = [
        Service("commerce.auction", BIDS, "imported"),
        Service("commerce.calendar_2", RAFFLES, "imported"),
    ]
    documents = [proposal_of("auction", BIDS), proposal_of("calendar", RAFFLES)]
    before, after = made(documents), made(documents, extra_pool=grown)

    assert [row.environment_id for row in after.rows] == ["commerce.auction", "commerce.calendar_2"]
    assert after.rows == before.rows


def test_decisions_override_what_was_measured(made, proposal_of):
    documents = [proposal_of("auction", BIDS), proposal_of("bidding", BIDS)]
    decisions = {
        "auction": Decision(verdict="veto", reason="Not now."),
        "bidding": Decision(verdict="approve"),
        "lottery": Decision(verdict="approve"),
    }
    result = made(documents, decisions=decisions)

    assert [(row.name, row.status) for row in result.rows] == [
        ("auction", "vetoed"),
        ("bidding", "approved"),
    ]
    assert "'lottery', which is not proposed now" in result.notes[-1]


def test_without_a_model_the_notes_say_what_is_lacking(made):
    result = made()

    assert result.rows == ()
    assert "commerce.shop is the only environment of the domain" in " ".join(result.notes)
