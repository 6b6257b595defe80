"""What the reward refuses to score, so that a broken rollout is never read as reward 0.

RewardError
├── InvalidReferenceError   a reference that contradicts itself
└── SessionMismatchError    an attempt made in another session than the reference's
"""


class RewardError(ValueError):
    """A reference or an attempt that cannot be scored."""


class InvalidReferenceError(RewardError):
    """A reference that contradicts itself, such as a call that must follow a later one."""


class SessionMismatchError(RewardError):
    """An attempt whose environments are not those of the reference."""
