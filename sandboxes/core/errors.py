"""Errors of the environment runtime.

SandboxError                    anything this package refuses
├── ToolError                   a call the environment refuses; one plain sentence for the model
├── EnvironmentFaultError       an environment broke its contract: our bug, never the caller's
├── EnvironmentSourceError      a file that is not a usable environment
├── UnknownEnvironmentError     an id the catalog does not hold
├── UnreviewedEnvironmentError  code that nobody has reviewed, where nothing confines it
├── UnverifiedEnvironmentError  an environment that may not be served as its file stands
├── ScenarioError               a scenario that does not fit its environments
├── SessionClosedError          a call on a closed or unknown session
├── SessionLimitError           one session more than a server holds
└── ConfinementError            unreviewed code that was not run, or did not do as asked
    ├── ConfinementUnavailableError  nothing here can confine a process
    ├── WorkerTimeoutError           a request that took too long; the worker was killed
    ├── WorkerLostError              a worker that died: of memory, processor time, a signal, …
    ├── WorkerOutputError            a worker that wrote too much, or no message
    └── WorkerFaultError             an exception in a worker that lives on
"""

from typing import Literal

LossCause = Literal["memory", "cpu_time", "signal", "exit", "closed"]


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


class UnreviewedEnvironmentError(SandboxError):
    """An environment that nobody has reviewed, asked for where nothing would confine it."""


class ConfinementError(SandboxError):
    """Unreviewed code that was not run, or whose confined process did not do as asked."""


class ConfinementUnavailableError(ConfinementError):
    """A machine that has no way to confine a process, or a confinement that cannot start."""


class WorkerTimeoutError(ConfinementError):
    """A request that took longer than it may; its worker was killed."""


class WorkerLostError(ConfinementError):
    """A worker that died, or was closed before.

    Attributes:
        cause: Of what it died, as far as that can be told from outside.
    """

    def __init__(self, message: str, cause: LossCause) -> None:
        """Say what happened, and of what kind it is."""
        super().__init__(message)
        self.cause: LossCause = cause


class WorkerOutputError(ConfinementError):
    """A worker that wrote too much, or what is no message; it was killed."""


class WorkerFaultError(ConfinementError):
    """An exception that the worker's host module let through; the worker lives on."""
