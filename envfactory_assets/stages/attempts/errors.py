"""Errors of writing environments.

AttemptError
├── UnsupportedProposalError    a coder cannot write what is proposed
├── UnsupportedToolError        rules cannot build one of its tools; the others may do
└── BudgetSpentError            the tokens for one environment are spent
"""


class AttemptError(Exception):
    """Anything that keeps a role from writing an environment."""


class UnsupportedProposalError(AttemptError):
    """A coder cannot write what is proposed; the message names what it does not support."""


class BudgetSpentError(AttemptError):
    """The tokens for one environment are spent before it is known to be good."""


class UnsupportedToolError(AttemptError):
    """A proposed tool that rules cannot build; the message says why, as the end of a sentence."""
