import pytest

from envfactory_assets.stages.proposals.decision_errors import DecisionError
from envfactory_assets.stages.proposals.decisions import (
    Decision,
    ProposalChanges,
    decide,
    editable,
    read_decisions,
    write_decision,
)

VETO = Decision(verdict="veto", reason="We have no use for it.")
APPROVE = Decision(verdict="approve")
TOOLS = {"place_bid": "Bid on an auction.", "retract_bid": "Take back a bid."}


def test_what_is_written_is_read_back_and_leaves_no_other_file(tmp_path, proposal_of):
    tools = proposal_of("auction", TOOLS).tools[:1]
    edit = Decision(verdict="edit", changes=ProposalChanges(tools=tools, rules=("One bid each.",)))
    write_decision(tmp_path, "commerce", "raffle", APPROVE)
    write_decision(tmp_path, "commerce", "auction", VETO)
    path = write_decision(tmp_path, "commerce", "auction", edit)
    write_decision(tmp_path, "travel", "flights", VETO)

    assert read_decisions(tmp_path, "commerce") == {"auction": edit, "raffle": APPROVE}
    assert path == tmp_path / "commerce" / "auction.json"
    assert [item.name for item in path.parent.iterdir() if item.suffix != ".json"] == []


def test_without_a_folder_there_are_no_decisions(tmp_path):
    assert read_decisions(tmp_path / "nowhere", "commerce") == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "the whole: Invalid JSON"),
        ('{"verdict": "reject"}', "verdict: Input should be 'veto', 'edit' or 'approve'"),
        ('{"verdict": "veto"}', "a veto needs a reason"),
        ('{"verdict": "edit"}', "an edit names changes"),
        ('{"verdict": "approve", "changes": {"rules": []}}', "an edit names changes"),
        ('{"verdict": "edit", "changes": {"name": "x"}}', "changes.name: Extra inputs"),
        (
            '{"verdict": "edit", "changes": {"tools": [{"name": "x"}]}}',
            "changes.tools.0.description: Field required",
        ),
    ],
)
def test_a_file_that_is_no_decision_is_named_with_the_field(tmp_path, text, fault):
    (tmp_path / "commerce").mkdir()
    (tmp_path / "commerce" / "auction.json").write_text(text)

    with pytest.raises(DecisionError, match=r"commerce/auction\.json is none: ") as raised:
        read_decisions(tmp_path, "commerce")
    assert fault in str(raised.value)


@pytest.mark.parametrize("name", ["../shop", "Auction", "a b", ""])
def test_a_decision_is_never_written_elsewhere(tmp_path, name):
    with pytest.raises(DecisionError, match="no name"):
        write_decision(tmp_path, "commerce", name, VETO)
    assert list(tmp_path.rglob("*")) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "commerce").write_text("")

    with pytest.raises(DecisionError, match="cannot be written"):
        write_decision(tmp_path, "commerce", "auction", VETO)


def test_a_veto_wins_over_everything(proposal_of):
    (row,), _ = decide([proposal_of("auction", TOOLS)], {"auction": VETO})

    assert (row.status, row.status_reason) == ("vetoed", "We have no use for it.")
    assert not row.is_wanted


def test_an_edit_replaces_what_it_names_and_nothing_else(proposal_of):
    proposal = proposal_of("auction", TOOLS, status="duplicate", status_reason="is there")
    changes = ProposalChanges(service="Another service.", tools=proposal.tools[:1])
    (row,), _ = decide([proposal], {"auction": Decision(verdict="edit", changes=changes)})

    assert (row.status, row.status_reason, row.is_wanted) == ("edited", "", True)
    assert row.service == "Another service."
    assert [tool.name for tool in row.tools] == ["place_bid"]
    assert row.rationale == proposal.rationale


def test_an_edit_to_start_from_says_everything_and_changes_nothing(tmp_path, proposal_of):
    proposal = proposal_of("auction", TOOLS)
    path = write_decision(tmp_path, "commerce", "auction", editable(proposal))
    (row,), _ = decide([proposal], read_decisions(tmp_path, "commerce"))

    assert row == proposal.model_copy(update={"status": "edited"})
    assert '"Take back a bid."' in path.read_text()


def test_an_approval_lifts_a_duplicate_and_keeps_its_overlap(proposal_of):
    duplicate = proposal_of(
        "auction", TOOLS, status="duplicate", status_reason="is there", overlap=0.7, nearest="a.b"
    )
    (row,), _ = decide([duplicate], {"auction": APPROVE})

    assert (row.status, row.status_reason) == ("approved", "")
    assert (row.overlap, row.nearest) == (0.7, "a.b")


def test_a_decision_on_what_is_not_proposed_is_reported_and_not_fatal(proposal_of):
    proposal = proposal_of("auction", TOOLS)
    rows, notes = decide([proposal], {"raffle": VETO})

    assert rows == [proposal]
    assert notes == ["There is a decision (veto) on 'raffle', which is not proposed now."]
