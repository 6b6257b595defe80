"""Automation: retraining when enough new trajectories came, and changes flowing downstream."""

import json

import dagster as dg

from envfactory_assets.jobs import ENDPOINT_ASSETS, TRAINING_ASSETS, TRAINING_JOB
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.profiles import Profile

RETRAINING_SENSOR = "retraining_sensor"
FLOW_SENSOR = "flow_sensor"
ASSET = "filtered_trajectories"

_WHEN_A_PARENT_CHANGED = (
    dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.data_version_changed() | dg.AutomationCondition.will_be_requested()
    ).since_last_handled()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
)


def flowing(spec: dg.AssetSpec) -> dg.AssetSpec:
    """Return a spec with the condition under which the flow sensor asks for its asset.

    A partition is made again when the data version of something it is made from changed. What is
    made from all domains does not wait for domains that were never made. How many new rows are
    worth a training job is the other sensor's business, so policies have no condition; an endpoint
    is paid for, so it is only ever asked when somebody says so.
    """
    if spec.key.path[-1] in (*TRAINING_ASSETS, *ENDPOINT_ASSETS):
        return spec
    condition = _WHEN_A_PARENT_CHANGED
    if spec.partitions_def is not None:
        condition &= ~dg.AutomationCondition.any_deps_missing()
    return spec.replace_attributes(automation_condition=condition)


def kept_trajectories(warehouse: Warehouse) -> dict[str, int]:
    """Return how many trajectories each domain's current version keeps, by version id."""
    if not warehouse.versions(ASSET):
        return {}
    # A run that was killed may have left versions that no view shows yet.
    warehouse.publish()
    rows = warehouse.query(
        f"SELECT version_id, count(*) FILTER (kept) AS kept FROM {ASSET} GROUP BY version_id"
    )
    return {str(row["version_id"]): int(str(row["kept"])) for row in rows}


def rows_to_train_on(seen: dict[str, int], present: dict[str, int]) -> int:
    """Return how many trajectories lie in versions that no training job has seen."""
    return sum(count for version_id, count in present.items() if version_id not in seen)


def retraining_sensor() -> dg.SensorDefinition:
    """Return the sensor that starts a training job when enough new trajectories came.

    The cursor holds the versions of the last job that was started, so no version is trained on
    twice; while a job runs or waits, the sensor waits too.
    """

    @dg.sensor(
        name=RETRAINING_SENSOR,
        job_name=TRAINING_JOB,
        minimum_interval_seconds=30,
        description="Starts a training job when enough new filtered trajectories came.",
    )
    def sensor(
        context: dg.SensorEvaluationContext,
        warehouse: dg.ResourceParam[Warehouse],
        profile: dg.ResourceParam[Profile],
    ) -> dg.SensorResult | dg.SkipReason:
        seen: dict[str, int] = json.loads(context.cursor or "{}")
        present = kept_trajectories(warehouse)
        fresh = rows_to_train_on(seen, present)
        if fresh < profile.retrain_after_rows:
            return dg.SkipReason(
                f"{fresh} new trajectories; training starts at {profile.retrain_after_rows}."
            )
        if _is_training(context.instance):
            return dg.SkipReason("A training job runs or waits; its end is awaited.")
        cursor = json.dumps(present, sort_keys=True)
        request = dg.RunRequest(run_key=cursor, tags={"envfactory/new_trajectories": str(fresh)})
        return dg.SensorResult(run_requests=[request], cursor=cursor)

    return sensor


def flow_sensor() -> dg.AutomationConditionSensorDefinition:
    """Return the sensor by which a changed domain flows downstream; switched off by default."""
    return dg.AutomationConditionSensorDefinition(
        FLOW_SENSOR,
        target=dg.AssetSelection.all(),
        description="Materializes what a change reaches, in the changed domain alone.",
    )


def _is_training(instance: dg.DagsterInstance) -> bool:
    waiting = [
        dg.DagsterRunStatus.QUEUED,
        dg.DagsterRunStatus.NOT_STARTED,
        dg.DagsterRunStatus.STARTING,
        dg.DagsterRunStatus.STARTED,
        dg.DagsterRunStatus.CANCELING,
    ]
    filters = dg.RunsFilter(job_name=TRAINING_JOB, statuses=waiting)
    return bool(instance.get_runs(filters, limit=1))
