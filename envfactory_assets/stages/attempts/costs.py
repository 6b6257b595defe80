"""What an environment has cost: the attempts at it and the tokens that they took."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from envfactory_assets.records.attempts import EnvironmentAttempt, TokenUsage
from envfactory_assets.stages.attempts.token_counts import summed


@dataclass(frozen=True, slots=True)
class EnvironmentCost:
    """What one environment has cost.

    Attributes:
        environment_id: The environment.
        attempt_count: How many rounds there were.
        outcome: How the last one ended.
        usage: What coder and tester took of a model, over all rounds.
    """

    environment_id: str
    attempt_count: int
    outcome: str
    usage: TokenUsage


def cost_rows(attempts: Sequence[EnvironmentAttempt]) -> list[EnvironmentCost]:
    """Return the cost of every environment, in order of the attempts at it."""
    found: list[EnvironmentCost] = []
    for environment_id, rounds in groupby(attempts, key=lambda row: row.environment_id):
        rows = list(rounds)
        usage = summed([row.usage for row in rows])
        found.append(EnvironmentCost(environment_id, len(rows), rows[-1].outcome, usage))
    return found
