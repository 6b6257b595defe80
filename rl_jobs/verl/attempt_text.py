"""A finished attempt as JSON text: how it travels from the rollout to the reward function."""

from pydantic import TypeAdapter

from envfactory_assets.stages.reward.models import Attempt

_ATTEMPT = TypeAdapter(Attempt)


def attempt_to_text(attempt: Attempt) -> str:
    """Return an attempt as JSON text."""
    return _ATTEMPT.dump_json(attempt).decode()


def attempt_from_text(text: str) -> Attempt:
    """Read an attempt.

    Raises:
        pydantic.ValidationError: If the text is none.
    """
    return _ATTEMPT.validate_json(text)
