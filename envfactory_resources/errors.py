"""Errors of configuration.

ConfigurationError  a setting that cannot be used; says which are allowed
"""


class ConfigurationError(Exception):
    """A setting that cannot be used."""
