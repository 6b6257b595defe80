"""The catalog: environments discovered from folder trees, bound to the hash of their source."""

import hashlib
import importlib
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sandboxes.core.domain import Domain
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import (
    EnvironmentSourceError,
    UnknownEnvironmentError,
    UnreviewedEnvironmentError,
)
from sandboxes.core.loading import environment_class, import_error, load_text, pool_module_name
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


def unreviewed_roots(pool: Path) -> list[tuple[Path, Origin]]:
    """Return the folder trees of a pool of generated and imported environments."""
    return [(pool / "generated", "generated"), (pool / "imported", "imported")]


_LOADING = threading.RLock()

LoadUnreviewed = Callable[[EnvironmentSource], type[AnyEnvironment]]


def changed_error(source: EnvironmentSource, found: str) -> EnvironmentSourceError:
    """Return the error that says that a file no longer is what was discovered."""
    return EnvironmentSourceError(
        f"{source.environment_id} changed on disk after it was discovered (hash "
        f"{found[:12]}, discovered {source.source_hash[:12]}); discover the catalog again."
    )


class Catalog:
    """The environments that can be opened, by id.

    Discovery reads files and imports nothing; an environment is loaded when it is first asked
    for, and only while its file still has the hash that was discovered. A shipped one, which is
    reviewed, is imported into this process. A generated or imported one never is: what loads it
    is passed in, since it runs elsewhere.
    """

    def __init__(
        self, sources: Sequence[EnvironmentSource], load_unreviewed: LoadUnreviewed | None = None
    ) -> None:
        """Hold environment sources.

        Args:
            sources: The environments.
            load_unreviewed: What loads those that are not shipped (`load_confined` of
                `sandboxes.confinement.loading`); they cannot be loaded when None.

        Raises:
            EnvironmentSourceError: If two environments share an id, or a short name, which tools
                carry.
        """
        self._sources = {source.environment_id: source for source in sources}
        self.load_unreviewed = load_unreviewed
        self._loaded: dict[str, type[AnyEnvironment]] = {}
        names: dict[str, str] = {}
        if len(self._sources) < len(sources):
            raise _shared_id(sources)
        for source in sources:
            other = names.setdefault(source.name, source.environment_id)
            if other != source.environment_id:
                raise EnvironmentSourceError(
                    f"{other} and {source.environment_id} share the short name {source.name!r}; "
                    "rename one file, since tool names carry it."
                )

    @classmethod
    def discover(
        cls,
        roots: Sequence[tuple[Path, Origin]] = ((SHIPPED_ROOT, "shipped"),),
        load_unreviewed: LoadUnreviewed | None = None,
    ) -> "Catalog":
        """Find every `<root>/<domain>/<name>.py`, in order of id.

        Args:
            roots: Folders with one subfolder a domain, and the origin of what they hold.
            load_unreviewed: What loads environments that are not shipped.
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
        return cls(sorted(sources, key=lambda source: source.environment_id), load_unreviewed)

    @property
    def sources(self) -> list[EnvironmentSource]:
        """Every source, in order of id."""
        return list(self._sources.values())

    def in_domain(self, domain: str) -> list[EnvironmentSource]:
        """Return the sources of one domain, in order of id."""
        return [source for source in self.sources if source.domain == domain]

    def restricted_to(self, environment_ids: Sequence[str]) -> "Catalog":
        """Return a catalog of some of these environments only (verified ones, say)."""
        sources = [self.source(key) for key in dict.fromkeys(environment_ids)]
        return Catalog(sources, self.load_unreviewed)

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
        """Return an environment's class, loading it at the first call.

        Raises:
            UnknownEnvironmentError: If the catalog does not hold it.
            UnreviewedEnvironmentError: If it is not shipped and nothing that loads such
                environments was passed in.
            EnvironmentSourceError: If the file does not load, holds no or several
                environments, or changed since discovery.
            ConfinementError: If it is not shipped, and nothing here can confine it.
        """
        loaded = self._loaded.get(environment_id)
        if loaded is not None:
            return loaded
        # Threads open their first sessions at the same moment: one of them loads, the others wait.
        with _LOADING:
            if environment_id not in self._loaded:
                self._loaded[environment_id] = self._load(self.source(environment_id))
            return self._loaded[environment_id]

    def _load(self, source: EnvironmentSource) -> type[AnyEnvironment]:
        found = source_hash(source.path)
        if found != source.source_hash:
            raise changed_error(source, found)
        if source.origin == "shipped":
            return _load_reviewed(source)
        if self.load_unreviewed is None:
            raise UnreviewedEnvironmentError(
                f"{source.environment_id} is {source.origin}: nobody has reviewed its code, so it "
                "is not imported here. Make the catalog with load_unreviewed=load_confined "
                "(sandboxes.confinement.loading)."
            )
        return self.load_unreviewed(source)

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


def _shared_id(sources: Sequence[EnvironmentSource]) -> EnvironmentSourceError:
    ids = [source.environment_id for source in sources]
    twice = next(key for key in ids if ids.count(key) > 1)
    origins = " and ".join(source.origin for source in sources if source.environment_id == twice)
    return EnvironmentSourceError(
        f"There are two environments {twice!r} ({origins}); rename or remove one file."
    )


def _load_reviewed(source: EnvironmentSource) -> type[AnyEnvironment]:
    code = source.path.read_bytes()
    module = _module_of(source, code)
    code_hash = hashlib.sha256(code).hexdigest()
    if module.__dict__.setdefault(_HASH_MARK, code_hash) != code_hash:
        raise EnvironmentSourceError(
            f"{source.environment_id} was imported from an earlier version of {source.path.name}; "
            "start a new process."
        )
    return environment_class(module, source.environment_id)


def _module_of(source: EnvironmentSource, code: bytes) -> ModuleType:
    if source.path.is_relative_to(SHIPPED_ROOT):
        try:
            return importlib.import_module(f"{SHIPPED_ROOT.name}.{source.environment_id}")
        except Exception as error:
            raise import_error(source.environment_id, source.path.name, error) from error
    name = pool_module_name(source.environment_id, source.source_hash)
    if name not in sys.modules:
        load_text(source.environment_id, name, source.path.name, code)
    return sys.modules[name]
