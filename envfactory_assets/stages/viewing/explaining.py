"""Why an attempt earned what it did, in the reward's own sentences."""

from pydantic import JsonValue, ValidationError

from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory
from envfactory_assets.stages.reward.errors import RewardError
from envfactory_assets.stages.reward.models import Reference
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.trajectories.reference import reference_from_json
from envfactory_assets.stages.trajectories.stored_calls import stored_attempt


def reference_of(row: FilteredTrajectory) -> Reference | None:
    """Return a row's reference; None when no attempt can be scored against it."""
    calls: list[JsonValue] = [
        {key: value for key, value in call.items() if key != "turn"} for call in row.reference_calls
    ]
    try:
        return reference_from_json(
            {
                "calls": calls,
                "initial_states": row.scenario["states"],
                "end_states": row.end_states,
            }
        )
    except (RewardError, ValidationError):
        return None


def why(reference: Reference | None, row: CandidateTrajectory) -> list[str]:
    """Return what an attempt did wrong, compared with the reference; nothing when all is right."""
    if reference is None:
        return []
    attempt = stored_attempt(row)
    try:
        return list(evaluate(reference, attempt).explanation)
    except RewardError:
        return []
