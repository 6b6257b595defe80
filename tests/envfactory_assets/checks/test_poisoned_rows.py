"""A bad row that got into the warehouse fails the check of its table and stops what follows."""

import re
from datetime import UTC, datetime

import dagster as dg
import pytest

from envfactory_assets.jobs import DATASET_ASSETS
from envfactory_assets.records.tables import TABLES
from sandboxes.core.canonical import canonical_json, content_hash

LATER = datetime(2100, 1, 1, tzinfo=UTC)


def unverified(row):
    return {"verified": False}


def unlabelled(row):
    return {"reason": ""} if row.direction == "input" else None


def dangling(row):
    return {"target_parameter": "no_such_input"} if row.kind == "feeds" else None


def unexplained(row):
    return {"reason": ""}


def within_one_domain(row):
    return {"target_domain": row.source_domain}


def unsatisfied(row):
    return {"externals": ()} if row.externals else None


def bound_to_itself(row):
    if not row.bindings:
        return None
    first, *rest = row.bindings
    return {
        "bindings": (first.model_copy(update={"source_step": first.target_step}), *rest),
    }


def without_calls(row):
    return {"calls": ()}


def with_internal_id(row):
    found = re.search(r"\b[A-Z]{1,8}-\d+\b", canonical_json(row.scenario))
    return {"refined_text": f"{row.refined_text} It is {found[0]}."}


def with_tool_name(row):
    return {"refined_text": f"{row.refined_text} Use {row.calls[0].tool}."}


def without_its_values(row):
    return {"refined_text": "Please do something for me.", "disclosures": ()}


def overpaid(row):
    return {"reward": 1.5}


def dropped_silently(row):
    return {"kept": False, "drop_reason": None}


def replay_not_claimed(row):
    return {"replays": False} if row.kept else None


def replay_claimed_falsely(row):
    states = {name: {**state, "invented": 1} for name, state in row.end_states.items()}
    return {"end_states": states, "end_state_hash": content_hash(states)} if row.kept else None


def solved_by_nothing(row):
    return {"do_nothing_reward": 0.5} if row.kept else None


def leaked(row):
    return {"split": "test_environments"} if row.split == "train" else None


def in_no_split(row):
    return {"split": "everything"}


def without_reference(row):
    return {"reference": {**row.reference, "calls": []}}


def left_out_silently(row):
    return {"kept": False} if row.kept else None


def both_the_same(row):
    return {"rejected": row.chosen}


def said_by_the_user(row):
    return {"rejected": ({"role": "user", "content": "Thanks."}, *row.rejected)}


def made_up(row):
    return {"value": "31415926"}


def outside(row):
    return {"low": row.value + 1.0}


POISONS = [
    ("environments", unverified, "verified", "tool_parameters"),
    ("tool_parameters", unlabelled, "is_labelled", "tool_graphs"),
    ("tool_graphs", dangling, "is_dangling", "sampled_chains"),
    ("tool_graphs", unexplained, "has_reason", "sampled_chains"),
    ("cross_domain_links", within_one_domain, "stays_in_domain", "sampled_chains"),
    ("sampled_chains", unsatisfied, "fault_count", "draft_queries"),
    ("sampled_chains", bound_to_itself, "fault_count", "draft_queries"),
    ("draft_queries", without_calls, "call_count", "refined_queries"),
    ("refined_queries", with_internal_id, "violations", "candidate_trajectories"),
    ("refined_queries", with_tool_name, "violations", "candidate_trajectories"),
    ("refined_queries", without_its_values, "violations", "candidate_trajectories"),
    ("candidate_trajectories", overpaid, "reward", "filtered_trajectories"),
    ("candidate_trajectories", dropped_silently, "is_explained", "filtered_trajectories"),
    ("filtered_trajectories", replay_not_claimed, "kept_without_replay", "sft_dataset"),
    ("filtered_trajectories", replay_claimed_falsely, "kept_without_replay", "sft_dataset"),
    ("filtered_trajectories", solved_by_nothing, "kept_do_nothing_reward", "sft_dataset"),
    ("sft_dataset", leaked, "is_held_out_environment_leaked", None),
    ("rl_dataset", without_reference, "reference_calls", None),
    ("dataset_tasks", left_out_silently, "is_explained", "preference_dataset"),
    ("preference_dataset", both_the_same, "is_the_same", None),
    ("preference_dataset", said_by_the_user, "is_said_by_the_user", None),
    ("data_card", made_up, "is_not_in_the_card", None),
    ("refinement_ablation", outside, "is_outside_its_interval", None),
]


def poison(platform, asset, domain, change):
    """Write the current rows again, the first one that a change fits to changed.

    The inputs are noted as those of the good rows, so that a run reads these instead of making
    good ones.
    """
    record = TABLES[asset]
    rows = platform.warehouse.read(asset, record, [domain] if domain else None)
    place, update = next(
        (place, update) for place, row in enumerate(rows) if (update := change(row)) is not None
    )
    rows[place] = rows[place].model_copy(update=update)
    version = platform.warehouse.write(
        asset,
        domain,
        rows,
        record,
        run_id="poison",
        code_version="poison",
        fingerprint=platform.warehouse.fingerprint(asset, domain),
        created_at=LATER,
    )
    if asset == "rl_dataset":
        # Without its page the version would be made again, rows and all.
        exports = platform.warehouse.root / "exports"
        (exports / asset / f"trajectories.{version.data_version[:12]}.html").touch()
    return version


def evaluation_of(result, asset):
    [found] = [
        item
        for item in result.get_asset_check_evaluations()
        if item.asset_key == dg.AssetKey(asset)
    ]
    return found


@pytest.mark.parametrize(
    ("asset", "change", "column", "downstream"),
    POISONS,
    ids=[f"{asset}-{change.__name__}" for asset, change, *_ in POISONS],
)
def test_a_bad_row_fails_its_check_and_stops_what_is_downstream(
    platform, asset, change, column, downstream
):
    is_whole = asset in ("cross_domain_links", *DATASET_ASSETS)
    poisoned = poison(platform, asset, None if is_whole else "travel", change)
    result = platform.materialize(
        *([asset, downstream] if downstream else [asset]),
        domain=None if asset in DATASET_ASSETS else "travel",
    )

    found = evaluation_of(result, asset)
    assert poisoned.is_new
    assert not result.success
    assert not found.passed
    assert found.severity is dg.AssetCheckSeverity.ERROR
    assert f"{column}: expected" in found.description
    made = {event.asset_key for event in result.get_asset_materialization_events()}
    assert made == {dg.AssetKey(asset)}


def test_a_failed_check_shows_what_was_expected_and_what_is_there(platform):
    poison(platform, "candidate_trajectories", "travel", overpaid)
    result = platform.materialize("candidate_trajectories", domain="travel")

    metadata = evaluation_of(result, "candidate_trajectories").metadata
    [missed] = [
        line for line in metadata["expectations"].value.splitlines() if line.startswith("| NO")
    ]
    assert "| reward | 0 to 1 | 1.5 in " in missed
    assert missed.endswith("| critical |")
    assert metadata["missed"].value == 1
    assert metadata["rows"].value == 16


def test_a_warning_alone_does_not_stop_what_is_downstream(platform):
    def read_only(row):
        return {"write_tool_count": 0}

    poison(platform, "environments", "travel", read_only)
    result = platform.materialize("environments", "tool_parameters", domain="travel")

    found = evaluation_of(result, "environments")
    assert result.success
    assert not found.passed
    assert found.severity is dg.AssetCheckSeverity.WARN
    assert "write_share: expected 0.333 to 1, got 0.0 in travel.hotel_booking" in found.description


def test_a_chain_of_tools_that_nobody_knows_is_a_fault_not_a_crash(platform):
    def unknown(row):
        return {"tools": ("nowhere__nothing",) * len(row.tools)}

    poison(platform, "sampled_chains", "travel", unknown)
    result = platform.materialize("sampled_chains", domain="travel")

    assert (
        "fault_count: expected 0, got 1 in " in evaluation_of(result, "sampled_chains").description
    )
