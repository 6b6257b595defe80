"""From the text of an environment file to its class: the module is run under a name of its own."""

import sys
from types import ModuleType
from typing import cast

from sandboxes.core.environment import AnyEnvironment, Environment
from sandboxes.core.errors import EnvironmentSourceError


def pool_module_name(environment_id: str, source_hash: str) -> str:
    """Return the module name of an environment that is not part of this package.

    It holds the hash, so what has the name is this very source.
    """
    return f"envfactory_pool_{source_hash[:16]}.{environment_id}"


def load_text(
    environment_id: str, module_name: str, file_name: str, code: bytes
) -> type[AnyEnvironment]:
    """Run the text of an environment file as a module and return the environment it defines.

    The text runs in this process with all its rights: reviewed code only, or a confined process.

    Raises:
        EnvironmentSourceError: If it does not run, or defines no or several environments.
    """
    module = ModuleType(module_name)
    module.__file__ = file_name
    sys.modules[module_name] = module
    try:
        exec(compile(code, file_name, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        del sys.modules[module_name]
        raise import_error(environment_id, file_name, error) from error
    return environment_class(module, environment_id)


def import_error(environment_id: str, file_name: str, error: Exception) -> EnvironmentSourceError:
    """Return the error that says that a file does not import."""
    return EnvironmentSourceError(
        f"{environment_id} does not import: {type(error).__name__}: {error}. "
        f"Mend {file_name} or remove it from its domain folder."
    )


def environment_class(module: ModuleType, environment_id: str) -> type[AnyEnvironment]:
    """Return the one environment that a module defines.

    Raises:
        EnvironmentSourceError: If it defines none or several.
    """
    classes = [
        cast("type[AnyEnvironment]", value)
        for value in cast("dict[str, object]", vars(module)).values()
        if isinstance(value, type)
        and issubclass(value, Environment)
        and value.__module__ == module.__name__
    ]
    if len(classes) != 1:
        raise EnvironmentSourceError(
            f"{environment_id} defines {len(classes)} environments; a file defines one."
        )
    return classes[0]
