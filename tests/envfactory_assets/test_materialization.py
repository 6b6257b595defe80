import dagster as dg
import pytest

from envfactory_assets.assets.chains import sampled_chains
from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.environments import EnvironmentRecord

DOMAIN_ASSETS = (
    "sampled_chains",
    "draft_queries",
    "refined_queries",
    "candidate_trajectories",
    "filtered_trajectories",
)


def changed(before, after):
    return {key for key, version in after.items() if before.get(key) != version}


def shown(result, asset):
    """What a run showed of an asset, by partition."""
    found = {}
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        if materialization.asset_key == dg.AssetKey(asset):
            metadata = materialization.metadata
            found[event.partition] = {name: value.value for name, value in metadata.items()}
    return found


def test_one_asset_of_one_domain_alone_gets_a_new_version(platform):
    before = platform.versions()
    with dg.DagsterInstance.ephemeral() as instance:
        result = platform.seeded(7).materialize(
            "sampled_chains", domain="travel", instance=instance
        )
        recorded = instance.get_materialized_partitions(sampled_chains.key)

    assert result.success
    assert changed(before, platform.versions()) == {("sampled_chains", "travel")}
    assert recorded == {"travel"}


def test_several_domains_in_one_run_get_a_version_each(platform):
    before = platform.versions()
    result = platform.seeded(7).materialize(
        "sampled_chains", "draft_queries", domain="travel", last_domain="finance"
    )

    assert result.success
    assert changed(before, platform.versions()) == {
        (asset, domain)
        for asset in ("sampled_chains", "draft_queries")
        for domain in ("travel", "finance")
    }
    for domain, metadata in shown(result, "draft_queries").items():
        stored = platform.warehouse.current("draft_queries", domain)
        assert metadata["dagster/row_count"] == stored.row_count
        assert stored.run_id == result.run_id


def test_an_asset_without_partitions_may_share_a_run_with_one_that_has_them(platform):
    before = platform.versions()
    result = platform.seeded(7).materialize(
        "sampled_chains", "cross_domain_links", "sft_dataset", domain="travel"
    )

    assert result.success
    assert changed(before, platform.versions()) == {("sampled_chains", "travel")}
    assert shown(result, "sft_dataset")[None]["unchanged"] == "sft_dataset"


def test_nothing_changed_makes_no_version_and_says_so(platform):
    before = platform.warehouse.versions()
    legs = platform.run_main_job()

    assert [leg.failures for leg in legs if leg.failures] == []
    assert [leg for leg in legs if set(leg.unchanged) != set(leg.row_counts)] == []
    assert platform.warehouse.versions() == before


def test_a_changed_partition_is_made_and_its_neighbour_in_the_run_is_not(platform):
    platform.seeded(7).materialize("sampled_chains", domain="travel")
    result = platform.seeded(7).materialize(
        "sampled_chains", domain="travel", last_domain="finance"
    )

    unchanged = {key: row["unchanged"] for key, row in shown(result, "sampled_chains").items()}
    assert unchanged == {"travel": "travel", "finance": "none"}


def test_another_seed_makes_other_chains_and_what_follows_from_them(platform):
    before = platform.data_versions()
    platform.seeded(7).run("task_job", "travel")

    assert changed(before, platform.data_versions()) == {
        (asset, "travel") for asset in DOMAIN_ASSETS
    }


def test_going_back_to_a_seed_gives_the_same_content_again(platform):
    before = platform.data_versions()
    platform.seeded(7).materialize("sampled_chains", domain="travel")
    platform.materialize("sampled_chains", domain="travel")

    assert platform.data_versions() == before
    assert len(platform.warehouse.versions("sampled_chains", "travel")) == 3


def test_earlier_rows_can_be_read_after_a_new_version(platform):
    first = platform.warehouse.current("sampled_chains", "travel")
    rows = platform.warehouse.read("sampled_chains", SampledChain, ["travel"])
    platform.seeded(7).materialize("sampled_chains", domain="travel")

    now = platform.warehouse.read("sampled_chains", SampledChain, ["travel"])
    then = platform.warehouse.read(
        "sampled_chains", SampledChain, ["travel"], as_of=first.created_at
    )
    by_id = platform.warehouse.read("sampled_chains", SampledChain, version_id=first.version_id)
    assert now != rows
    assert then == rows
    assert by_id == rows


def test_a_kept_trajectory_descends_from_the_environments_it_was_made_in(materialized):
    warehouse = materialized.warehouse
    version = warehouse.current("filtered_trajectories", "travel")
    ancestors = warehouse.lineage(version.version_id)

    domains = {each.partition for each in ancestors if each.asset == "environments"}
    assert {each.asset for each in ancestors} >= {
        "refined_queries",
        "draft_queries",
        "sampled_chains",
        "tool_graphs",
        "tool_parameters",
    }
    assert domains == {"travel", "lifestyle"}


def test_a_dataset_descends_from_every_domain(materialized):
    version = materialized.warehouse.current("sft_dataset", None)

    assert {parent.split(".v")[0] for parent in version.parents} == {
        "dataset_tasks._all",
        *(f"filtered_trajectories.{domain}" for domain in ("finance", "lifestyle", "travel")),
    }


def test_versions_say_which_run_and_code_made_them(materialized):
    codes = {
        spec.key.to_user_string(): spec.code_version
        for spec in materialized.definitions.resolve_all_asset_specs()
    }

    versions = materialized.warehouse.versions()
    assert [each for each in versions if each.code_version != codes[each.asset]] == []
    assert [each for each in versions if not each.run_id] == []


@pytest.mark.parametrize(
    "asset", ["tool_graphs", "sft_dataset", "rl_dataset", "preference_dataset"]
)
def test_lost_files_are_written_again_without_a_new_version(platform, asset):
    domain = "travel" if asset == "tool_graphs" else None
    folder = platform.warehouse.root / "exports" / asset
    # The card in the folder is another asset's.
    found = folder.rglob("travel.*" if domain else "*")
    files = sorted(file for file in found if file.is_file() and file != folder / "README.md")
    contents = [file.read_bytes() for file in files]
    before = platform.versions()
    for file in files:
        file.unlink()

    platform.materialize(asset, domain=domain)

    assert files
    assert [file.read_bytes() for file in files] == contents
    assert platform.versions() == before


def test_a_lost_data_card_is_written_again_without_a_new_version(platform):
    card = platform.warehouse.root / "exports" / "rl_dataset" / "README.md"
    content, before = card.read_bytes(), platform.versions()
    card.unlink()

    platform.materialize("data_card")

    assert card.read_bytes() == content
    assert platform.versions() == before


def test_a_parent_that_was_never_materialized_is_named(empty_platform):
    leg = empty_platform.run("task_job", "travel")

    assert len(leg.failures) == 1
    assert "'cross_domain_links'" in leg.failures[0]
    assert "Materialize it first." in leg.failures[0]


def test_a_parent_partition_that_was_never_materialized_is_named(empty_platform):
    empty_platform.materialize("environments", domain="travel")
    result = empty_platform.materialize("tool_graphs", domain="travel")

    assert not result.success
    [failure] = result.get_step_failure_events()
    message = failure.step_failure_data.user_failure_data.description
    assert message == "tool_parameters[travel] was never materialized; materialize it first."


def test_rows_of_an_environment_hold_the_source_that_was_verified(materialized):
    [row] = materialized.warehouse.read("environments", EnvironmentRecord, ["travel"])

    assert row.source == (materialized.tree / "travel/hotel_booking.py").read_text()
    assert row.verified
