"""Errors of the environment stage.

UnverifiedEnvironmentError  an environment whose present source did not pass verification
"""


class UnverifiedEnvironmentError(Exception):
    """An environment whose present source did not pass verification."""
