"""Errors of reading and writing what a person decided.

DecisionError   a file that is no decision, or cannot be written; the message names file and field
"""


class DecisionError(Exception):
    """A person's decision cannot be read or kept."""
