"""Errors of configuration.

ConfigurationError        a setting that cannot be used; says which are allowed
└── UnsupportedRoleError  a role for which a profile asks an implementation that does not exist
"""


class ConfigurationError(Exception):
    """A setting that cannot be used."""


class UnsupportedRoleError(ConfigurationError):
    """A role for which a profile asks an implementation that does not exist."""
