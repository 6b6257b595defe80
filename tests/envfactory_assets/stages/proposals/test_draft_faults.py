import pytest

from envfactory_assets.stages.proposals.draft_faults import draft_faults
from envfactory_assets.stages.proposals.proposal_draft import ProposalDraft, proposal_of


def faults_of(draft):
    return draft_faults(ProposalDraft.model_validate(draft))


def test_a_good_proposal_has_no_faults_and_becomes_a_row(auction):
    draft = ProposalDraft.model_validate(auction)
    row = proposal_of(draft, "commerce", "researcher:fake-1", ())

    assert draft_faults(draft) == []
    assert (row.environment_id, row.origin, row.is_wanted) == (
        "commerce.auction_house",
        "generated",
        True,
    )
    assert row.entities[0].fields[1].choices == ("art", "furniture")
    assert row.not_inferred == ("It rests on no source that was really read.",)


def change(path, value):
    def apply(draft):
        *steps, last = path
        for step in steps:
            draft = draft[step]
        draft[last] = value

    return apply


BARE_VARIANT = {
    "description": "The price.",
    "anyOf": [{"type": "number"}, {"type": "object", "properties": {"per_day": {}}}],
}
PLACE_BID_SCHEMA = ("tools", 2, "input_schema")


@pytest.mark.parametrize(
    ("apply", "fault"),
    [
        (change(("name",), "Auction-House"), "Name 'Auction-House' is not snake case"),
        (change(("name",), "lambda"), "Name 'lambda' is not snake case"),
        (change(("service",), " "), "The service is empty."),
        (change(("rules",), []), "There is no rule"),
        (change(("entities",), []), "There is no entity"),
        (change(("tools", 2, "entity"), "offer"), "works on 'offer', which is none of"),
        (change(("tools", 2, "entity"), None), "does 'create' to no entity"),
        (change(("tools", 2, "effect"), "read"), "does not go with 'read'"),
        (change(("tools", 2, "name"), "get_auction"), "Tool 'get_auction' is there twice."),
        (change(("tools", 2, "description"), ""), "Tool 'place_bid' has no description."),
        (change(("tools", 2, "output_schema"), {"type": "object"}), "returns nothing"),
        (change((*PLACE_BID_SCHEMA, "type"), "array"), "must be of type object"),
        (change((*PLACE_BID_SCHEMA, "type"), "thing"), "is no JSON schema"),
        (change((*PLACE_BID_SCHEMA, "required"), ["price"]), "requires ['price']"),
        (
            change((*PLACE_BID_SCHEMA, "properties", "amount"), {"$ref": "#/$defs/Money"}),
            "has a reference",
        ),
        (
            change((*PLACE_BID_SCHEMA, "properties", "amount"), {"type": "number"}),
            "property 'amount' has no description",
        ),
        (
            change((*PLACE_BID_SCHEMA, "properties", "lot_id"), {"description": "The lot."}),
            "property 'lot_id' is an id and must end with <entity>_id",
        ),
        (
            change((*PLACE_BID_SCHEMA, "properties", "amount"), BARE_VARIANT),
            "property 'per_day' has no description",
        ),
        (change(("tools", 1, "input_schema", "required"), []), "must require auction_id"),
        (change(("entities", 0, "label"), "headline"), "has the label 'headline'"),
        (change(("entities", 0, "fields"), []), "Entity 'auction' has no fields."),
        (change(("entities", 0, "fields", 0, "name"), "auction_id"), "lists its own id"),
        (change(("entities", 0, "fields", 1, "choices"), []), "a choice has choices"),
        (change(("entities", 1, "fields", 0, "references"), "lot"), "references 'lot'"),
        (change(("entities", 1, "fields", 0, "name"), "auction"), "must be named auction_id"),
    ],
)
def test_each_fault_is_named(auction, apply, fault):
    apply(auction)

    assert any(fault in found for found in faults_of(auction)), faults_of(auction)


def test_a_service_that_hardly_writes_is_faulty(auction):
    reading = auction["tools"][0]
    auction["tools"] = [{**reading, "name": f"search_{number}"} for number in range(4)]

    assert "Only 0 of 4 tools write; at least one in three must." in faults_of(auction)


def test_an_id_may_say_whose_it_is(auction):
    auction["tools"][2]["input_schema"]["properties"]["outbid_bid_id"] = {"description": "A bid."}

    assert faults_of(auction) == []
