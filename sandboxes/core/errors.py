"""Errors of the environment runtime.

SandboxError                    anything this package refuses
├── ToolError                   a call the environment refuses; one plain sentence for the model
├── EnvironmentFaultError       an environment broke its contract: our bug, never the caller's
├── EnvironmentSourceError      a file that is not a usable environment
├── UnknownEnvironmentError     an id the catalog does not hold
├── UnverifiedEnvironmentError  an environment that may not be served as its file stands
├── ScenarioError               a scenario that does not fit its environments
├── SessionClosedError          a call on a closed or unknown session
└── SessionLimitError           one session more than a server holds
"""


class SandboxError(Exception):
    """Anything the environment runtime refuses."""


class ToolError(SandboxError):
    """A call that an environment refuses.

    Its message is one plain sentence that a model reads: what was wrong, what is allowed. The
    session undoes whatever the call had changed.
    """


class EnvironmentFaultError(SandboxError):
    """An environment raised something else than `ToolError`, or returned what it may not."""


class EnvironmentSourceError(SandboxError):
    """A file in the environment tree that cannot be loaded as an environment."""


class UnknownEnvironmentError(SandboxError):
    """An environment id that the catalog does not hold."""


class ScenarioError(SandboxError):
    """A scenario that does not fit the environments it names."""


class SessionClosedError(SandboxError):
    """A call on a session that is closed or was never opened."""


class UnverifiedEnvironmentError(SandboxError):
    """An environment whose present source was not verified, and which is therefore not served."""


class SessionLimitError(SandboxError):
    """A session that a server has no place for."""
