"""The ids a session gave out, read off the counters of its clocks."""

from collections.abc import Mapping

from pydantic import JsonValue

from envfactory_assets.stages.reward.changes import CLOCK, States


def created_ids(initial: States, end: States) -> dict[str, str]:
    """Return the ids given out between two states, in order, each with its prefix."""
    created: dict[str, str] = {}
    for environment_id, state in end.items():
        before = _counters(initial[environment_id])
        for prefix, last in sorted(_counters(state).items()):
            for number in range(before.get(prefix, 0) + 1, last + 1):
                created[f"{prefix}-{number}"] = prefix
    return created


def _counters(state: Mapping[str, JsonValue]) -> dict[str, int]:
    clock = state.get(CLOCK)
    counters = clock.get("counters") if isinstance(clock, dict) else None
    if not isinstance(counters, dict):
        return {}
    return {prefix: last for prefix, last in counters.items() if isinstance(last, int)}
