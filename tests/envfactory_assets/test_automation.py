import json

import dagster as dg
import pytest

from envfactory_assets.automation import flow_sensor, kept_trajectories, retraining_sensor
from envfactory_assets.jobs import DATASET_ASSETS, ENDPOINT_ASSETS, TRAINING_ASSETS, TRAINING_JOB
from envfactory_resources.clients.warehouse.client import Warehouse
from tests.envfactory_assets.platform import DOMAINS


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


def tick(platform, instance, retrain_after_rows, cursor=None):
    profile = platform.profile.model_copy(update={"retrain_after_rows": retrain_after_rows})
    context = dg.build_sensor_context(
        instance=instance,
        cursor=cursor,
        resources={"warehouse": platform.warehouse, "profile": profile},
    )
    return retraining_sensor().evaluate_tick(context)


def kept_in(platform):
    return sum(kept_trajectories(platform.warehouse).values())


def test_too_few_new_trajectories_start_nothing_and_the_reason_has_the_figures(
    materialized, instance
):
    kept = kept_in(materialized)
    data = tick(materialized, instance, retrain_after_rows=kept + 1)

    assert data.run_requests == []
    assert data.skip_message == f"{kept} new trajectories; training starts at {kept + 1}."


def test_enough_new_trajectories_start_one_training_job(materialized, instance):
    kept = kept_in(materialized)
    data = tick(materialized, instance, retrain_after_rows=kept)

    [request] = data.run_requests
    assert request.tags["envfactory/new_trajectories"] == str(kept)
    assert json.loads(data.cursor) == kept_trajectories(materialized.warehouse)
    assert retraining_sensor().job_name == TRAINING_JOB


def test_the_same_trajectories_are_never_trained_on_twice(materialized, instance):
    first = tick(materialized, instance, retrain_after_rows=1)
    again = tick(materialized, instance, retrain_after_rows=1, cursor=first.cursor)

    assert again.run_requests == []
    assert again.skip_message == "0 new trajectories; training starts at 1."


def test_only_trajectories_of_new_versions_count(platform, instance):
    first = tick(platform, instance, retrain_after_rows=1)
    platform.seeded(7).run("task_job", "travel")
    fresh = kept_in_domain(platform, "travel")
    again = tick(platform, instance, retrain_after_rows=1, cursor=first.cursor)

    [request] = again.run_requests
    assert request.tags["envfactory/new_trajectories"] == str(fresh)
    assert request.run_key != first.run_requests[0].run_key


def kept_in_domain(platform, domain):
    version = platform.warehouse.current("filtered_trajectories", domain)
    return kept_trajectories(platform.warehouse)[version.version_id]


@pytest.mark.parametrize(
    "status",
    [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING],
)
def test_while_a_training_job_runs_or_waits_no_other_is_started(materialized, instance, status):
    instance.add_run(dg.DagsterRun(job_name=TRAINING_JOB, status=status))
    data = tick(materialized, instance, retrain_after_rows=1)

    assert data.run_requests == []
    assert data.skip_message == "A training job runs or waits; its end is awaited."
    assert data.cursor is None


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE])
def test_a_training_job_that_ended_is_not_waited_for(materialized, instance, status):
    instance.add_run(dg.DagsterRun(job_name=TRAINING_JOB, status=status))

    assert len(tick(materialized, instance, retrain_after_rows=1).run_requests) == 1


def test_an_empty_warehouse_starts_nothing(empty_platform, instance):
    data = tick(empty_platform, instance, retrain_after_rows=1)

    assert data.skip_message == "0 new trajectories; training starts at 1."
    assert not empty_platform.warehouse.root.exists()


def test_trajectories_that_were_committed_and_not_published_count_too(platform):
    platform.warehouse.snapshot_path.unlink()

    assert len(kept_trajectories(Warehouse(platform.warehouse.root))) == len(DOMAINS)


def requested(result):
    return {
        (entry.key.to_user_string(), key.partition_key)
        for entry in result.results
        for key in entry.true_subset.expensively_compute_asset_partitions()
    }


@pytest.fixture(scope="module")
def flow(materialized, tmp_path_factory):
    """What the flow sensor asks for, step by step, while `travel` changes and is made again."""
    platform = materialized.copy(tmp_path_factory.mktemp("flow") / "platform")
    asked = {}
    cursor = None
    with dg.DagsterInstance.ephemeral() as instance:

        def ask(step):
            nonlocal cursor
            result = dg.evaluate_automation_conditions(
                platform.definitions,
                instance,
                asset_selection=flow_sensor().asset_selection,
                cursor=cursor,
            )
            cursor = result.cursor
            asked[step] = requested(result)

        platform.run_main_job(instance=instance)
        ask("at first")
        platform.materialize("environments", domain="travel", instance=instance)
        ask("made again without a change")
        file = platform.tree / "travel/hotel_booking.py"
        start, mark, rest = file.read_text().partition('        """')
        file.write_text(f"{start}{mark}Please note: {rest}")
        platform.materialize("environments", domain="travel", instance=instance)
        ask("changed")
        downstream = [asset for asset, domain in asked["changed"] if domain]
        platform.materialize(*downstream, domain="travel", instance=instance)
        platform.materialize("cross_domain_links", instance=instance)
        ask("made")
    return asked


def test_what_was_made_again_without_a_change_asks_for_nothing(flow):
    assert flow["at first"] == set()
    assert flow["made again without a change"] == set()


def test_a_changed_domain_asks_for_what_is_downstream_of_it_alone(flow):
    downstream = {
        "tool_parameters",
        "tool_graphs",
        "sampled_chains",
        "draft_queries",
        "refined_queries",
        "candidate_trajectories",
        "filtered_trajectories",
    }

    assert flow["changed"] == {
        *((asset, "travel") for asset in downstream),
        ("cross_domain_links", None),
    }


def test_changed_trajectories_ask_for_every_dataset_and_for_no_training(flow):
    # The requests of the changed domain stayed the same, so there is nothing to compare anew.
    made = {*DATASET_ASSETS} - {"refinement_ablation"}
    assert flow["made"] == {(asset, None) for asset in made}


def test_the_flow_sensor_is_off_until_somebody_switches_it_on():
    assert flow_sensor().default_status is dg.DefaultSensorStatus.STOPPED


def test_no_policy_is_trained_and_no_endpoint_asked_because_something_flowed(materialized):
    specs = materialized.definitions.resolve_all_asset_specs()
    without = {spec.key.to_user_string() for spec in specs if spec.automation_condition is None}

    assert without == {*TRAINING_ASSETS, *ENDPOINT_ASSETS}
