"""Loading an environment that nobody has reviewed: a class here, its code in confined workers."""

import types
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import cast

from sandboxes.confinement.confined_environment import (
    ConfinedEnvironment,
    ConfinedState,
    ConfinedTool,
)
from sandboxes.confinement.environment_workers import REQUEST_SECONDS, EnvironmentWorkers
from sandboxes.confinement.messages import Description
from sandboxes.confinement.worker_pool import WorkerPool, shared_pool
from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import (
    ConfinementError,
    ConfinementUnavailableError,
    EnvironmentFaultError,
    EnvironmentSourceError,
)
from sandboxes.core.loading import pool_module_name
from sandboxes.verification.subject import Subject

_REMEMBERED = 256
_LOADED: OrderedDict[tuple[str, str], type[AnyEnvironment]] = OrderedDict()
_LOCK = Lock()


def load_confined(source: EnvironmentSource) -> type[AnyEnvironment]:
    """Return the class of an environment whose code runs in confined workers of this process.

    Raises:
        EnvironmentSourceError: If the file changed, does not load in a worker, or describes itself
            in a form that nothing here can read.
        ConfinementUnavailableError: If nothing on this machine can confine it.
    """
    key = (source.environment_id, source.source_hash)
    with _LOCK:
        known = _LOADED.get(key)
    if known is None:
        known = make_class(Subject.read(source), shared_pool)
        with _LOCK:
            _LOADED[key] = known
            if len(_LOADED) > _REMEMBERED:
                _LOADED.popitem(last=False)
    return known


def make_class(
    subject: Subject, pool_of: Callable[[], WorkerPool], seconds: float = REQUEST_SECONDS
) -> type[AnyEnvironment]:
    """Return the class of an environment whose code runs in the workers of a pool.

    Args:
        subject: The text of the environment.
        pool_of: Gives the pool of the process that calls its tools.
        seconds: How long a call may take.

    Raises:
        EnvironmentSourceError: If the text does not load in a worker, or describes itself in a form
            that nothing here can read.
        ConfinementUnavailableError: If nothing on this machine can confine it.
    """
    workers = EnvironmentWorkers(subject, pool_of, seconds)
    try:
        description = workers.description()
    except ConfinementUnavailableError:
        raise
    except (ConfinementError, EnvironmentFaultError) as error:
        raise EnvironmentSourceError(
            f"{subject.environment_id} cannot be described: {error}"
        ) from error
    return _class_of(subject, description, workers)


def _class_of(
    subject: Subject, description: Description, workers: EnvironmentWorkers
) -> type[AnyEnvironment]:
    module = pool_module_name(subject.environment_id, subject.source_hash)
    state_type = types.new_class(
        f"{description.class_name}State",
        (ConfinedState,),
        exec_body=lambda namespace: namespace.update({"__module__": module}),
    )
    cast("type[ConfinedState]", state_type).workers = workers
    members: dict[str, object] = {
        "__module__": module,
        "__doc__": description.documentation,
        "workers": workers,
        "state_type": state_type,
        "tools": {tool.name: ConfinedTool(subject.name, tool) for tool in description.tools},
        "methods": {},
    }
    made = types.new_class(
        description.class_name,
        (ConfinedEnvironment,),
        exec_body=lambda namespace: namespace.update(members),
    )
    return cast("type[AnyEnvironment]", made)
