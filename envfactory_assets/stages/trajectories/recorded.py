"""Running the reference of a stored row again, to see that the row tells the truth."""

from envfactory_assets.records.trajectories import FilteredTrajectory
from envfactory_assets.stages.trajectories.replaying import replay_calls
from envfactory_assets.stages.trajectories.stored_calls import stored_call
from sandboxes.core.canonical import canonical_json, content_hash
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import UnknownEnvironmentError
from sandboxes.core.scenario import Scenario


def replays_as_recorded(row: FilteredTrajectory, catalog: Catalog) -> bool:
    """Return whether a row's reference, run from its scenario, ends as the row says.

    Every call must succeed and every state must be the recorded one, byte for byte. It does not
    hold while an environment of the row is not verified as it is now.
    """
    calls = [stored_call(call) for call in row.reference_calls]
    try:
        replay = replay_calls(Scenario.model_validate(row.scenario), calls, catalog)
    except UnknownEnvironmentError:
        return False
    return (
        replay.is_clean
        and canonical_json(dict(replay.states)) == canonical_json(row.end_states)
        and content_hash(row.end_states) == row.end_state_hash
    )
