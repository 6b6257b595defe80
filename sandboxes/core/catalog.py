"""The catalog: environments discovered from folder trees, bound to the hash of their source."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict

from sandboxes.core.domain import Domain
from sandboxes.core.environment import AnyEnvironment, Environment
from sandboxes.core.errors import EnvironmentSourceError, UnknownEnvironmentError
from sandboxes.core.tool import Tool

Origin = Literal["shipped", "generated", "imported"]
SHIPPED_ROOT = Path(__file__).parent.parent
_HASH_MARK = "__envfactory_code_hash__"


class EnvironmentSource(BaseModel):
    """One environment file and what it hashes to.

    Attributes:
        environment_id: `<domain>.<name>`, from where the file stands.
        path: The Python file; its declared cases stand beside it as `<name>.cases.json`.
        origin: Whether the file is shipped, generated or imported.
        source_hash: SHA-256 (hex) over the file and its cases.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    environment_id: str
    path: Path
    origin: Origin
    source_hash: str

    @property
    def domain(self) -> Domain:
        """The domain folder."""
        return Domain(self.environment_id.split(".")[0])

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.environment_id.split(".")[1]

    @property
    def cases_path(self) -> Path:
        """Where the declared test cases stand."""
        return cases_path(self.path)


def cases_path(path: Path) -> Path:
    """Return where the declared test cases of an environment file stand."""
    return path.with_suffix(".cases.json")


def source_hash(path: Path) -> str:
    """Return the SHA-256 (hex) over an environment file and its cases."""
    digest = hashlib.sha256(path.read_bytes())
    beside = cases_path(path)
    if beside.exists():
        digest.update(b"\0" + beside.read_bytes())
    return digest.hexdigest()


class Catalog:
    """The environments that can be opened, by id.

    Discovery reads files and imports nothing; an environment is imported when it is first asked
    for, and only while its file still has the hash that was discovered.
    """

    def __init__(self, sources: Sequence[EnvironmentSource]) -> None:
        """Hold environment sources.

        Raises:
            EnvironmentSourceError: If two environments share a short name, which tools carry.
        """
        self._sources = {source.environment_id: source for source in sources}
        self._loaded: dict[str, type[AnyEnvironment]] = {}
        names: dict[str, str] = {}
        for source in sources:
            other = names.setdefault(source.name, source.environment_id)
            if other != source.environment_id:
                raise EnvironmentSourceError(
                    f"{other} and {source.environment_id} share the short name {source.name!r}; "
                    "rename one file, since tool names carry it."
                )

    @classmethod
    def discover(
        cls, roots: Sequence[tuple[Path, Origin]] = ((SHIPPED_ROOT, "shipped"),)
    ) -> "Catalog":
        """Find every `<root>/<domain>/<name>.py`, in order of id.

        Args:
            roots: Folders with one subfolder a domain, and the origin of what they hold.
        """
        sources = [
            EnvironmentSource(
                environment_id=f"{domain}.{path.stem}",
                path=path,
                origin=origin,
                source_hash=source_hash(path),
            )
            for root, origin in roots
            for domain in Domain
            for path in sorted((root / domain).glob("*.py"))
            if path.stem != "__init__"
        ]
        return cls(sorted(sources, key=lambda source: source.environment_id))

    @property
    def sources(self) -> list[EnvironmentSource]:
        """Every source, in order of id."""
        return list(self._sources.values())

    def in_domain(self, domain: str) -> list[EnvironmentSource]:
        """Return the sources of one domain, in order of id."""
        return [source for source in self.sources if source.domain == domain]

    def restricted_to(self, environment_ids: Sequence[str]) -> "Catalog":
        """Return a catalog of some of these environments only (verified ones, say)."""
        return Catalog([self.source(environment_id) for environment_id in environment_ids])

    def source(self, environment_id: str) -> EnvironmentSource:
        """Return one source.

        Raises:
            UnknownEnvironmentError: If the catalog does not hold it.
        """
        if environment_id not in self._sources:
            available = ", ".join(self._sources) or "none"
            raise UnknownEnvironmentError(
                f"Unknown environment {environment_id!r}; available: {available}."
            )
        return self._sources[environment_id]

    def load(self, environment_id: str) -> type[AnyEnvironment]:
        """Return an environment's class, importing its file at the first call.

        Raises:
            UnknownEnvironmentError: If the catalog does not hold it.
            EnvironmentSourceError: If the file does not import, holds no or several
                environments, or changed since discovery.
        """
        if environment_id not in self._loaded:
            self._loaded[environment_id] = _load(self.source(environment_id))
        return self._loaded[environment_id]

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """Every tool of every environment, by wire name."""
        return {
            tool.wire_name: tool
            for environment_id in self._sources
            for tool in self.load(environment_id).tools.values()
        }

    def environment_of(self, wire_name: str) -> str:
        """Return the environment id that a wire name belongs to.

        Raises:
            UnknownEnvironmentError: If no environment has that short name.
        """
        name = wire_name.split("__")[0]
        for source in self._sources.values():
            if source.name == name:
                return source.environment_id
        raise UnknownEnvironmentError(f"No environment of the catalog is named {name!r}.")


def _load(source: EnvironmentSource) -> type[AnyEnvironment]:
    found = source_hash(source.path)
    if found != source.source_hash:
        raise EnvironmentSourceError(
            f"{source.environment_id} changed on disk after it was discovered (hash "
            f"{found[:12]}, discovered {source.source_hash[:12]}); discover the catalog again."
        )
    module = _import(source)
    code_hash = hashlib.sha256(source.path.read_bytes()).hexdigest()
    if module.__dict__.setdefault(_HASH_MARK, code_hash) != code_hash:
        raise EnvironmentSourceError(
            f"{source.environment_id} was imported from an earlier version of {source.path.name}; "
            "start a new process."
        )
    classes = [
        cast("type[AnyEnvironment]", value)
        for value in cast("dict[str, object]", vars(module)).values()
        if _is_environment_of(value, module)
    ]
    if len(classes) != 1:
        raise EnvironmentSourceError(
            f"{source.environment_id} defines {len(classes)} environments; a file defines one."
        )
    return classes[0]


def _is_environment_of(value: object, module: ModuleType) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Environment)
        and value.__module__ == module.__name__
    )


def _import(source: EnvironmentSource) -> ModuleType:
    module_name = _module_name(source)
    try:
        if source.path.is_relative_to(SHIPPED_ROOT):
            return importlib.import_module(module_name)
        # The name holds the hash, so what has it is this very source.
        return sys.modules.get(module_name) or _import_file(source.path, module_name)
    except Exception as error:
        raise EnvironmentSourceError(
            f"{source.environment_id} does not import: {type(error).__name__}: {error}. "
            f"Mend {source.path.name} or remove it from its domain folder."
        ) from error


def _module_name(source: EnvironmentSource) -> str:
    if source.path.is_relative_to(SHIPPED_ROOT):
        return f"{SHIPPED_ROOT.name}.{source.environment_id}"
    return f"envfactory_pool_{source.source_hash[:16]}.{source.environment_id}"


def _import_file(path: Path, module_name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module
