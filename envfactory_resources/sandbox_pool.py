"""The pool of environments, and its Dagster resource: shipped ones, and those under the home.

What stands under the home nobody has reviewed: its code only ever runs in confined workers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import dagster as dg

from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.warehouse import home_of
from sandboxes.confinement.loading import load_confined
from sandboxes.core.catalog import (
    SHIPPED_ROOT,
    Catalog,
    EnvironmentSource,
    Origin,
    unreviewed_roots,
)
from sandboxes.core.errors import EnvironmentSourceError
from sandboxes.verification.execution import read_source
from sandboxes.verification.subject import Subject


@dataclass(frozen=True, slots=True)
class SandboxPool:
    """Where environments are found.

    Attributes:
        shipped: The folder with one subfolder a domain.
        unreviewed: The folder with one subfolder an origin (`generated`, `imported`), each with one
            a domain; it need not exist.
    """

    shipped: Path = SHIPPED_ROOT
    unreviewed: Path | None = None

    def root_of(self, origin: Literal["generated", "imported"]) -> Path:
        """Return the folder of unreviewed environments of one origin; it need not exist.

        Raises:
            ConfigurationError: If this pool has no place for them.
        """
        if self.unreviewed is None:
            raise ConfigurationError(
                "This pool holds reviewed environments only; give it a folder."
            )
        return self.unreviewed / origin

    def discover(self) -> Catalog:
        """Return every environment that is there now, verified or not."""
        roots: list[tuple[Path, Origin]] = [(self.shipped, "shipped")]
        if self.unreviewed is not None:
            roots += unreviewed_roots(self.unreviewed)
        return Catalog.discover(roots, load_confined)

    def shipped_catalog(self) -> Catalog:
        """Return every reviewed environment that is there now, usable or not."""
        return Catalog.discover([(self.shipped, "shipped")])

    def reviewed(self) -> Catalog:
        """Return the reviewed environments that can be used; verification names the others.

        It loads them all; `shipped_catalog` reads files only.
        """
        found = self.shipped_catalog()
        return found.restricted_to(
            [source.environment_id for source in found.sources if _is_usable(source, found)]
        )

    def verified(self, records: Iterable[EnvironmentRecord]) -> Catalog:
        """Return the environments that passed verification as they are now.

        One that changed since is left out: what it would do is not known.
        """
        passed = {
            record.environment_id: record.source_hash for record in records if record.verified
        }
        found = self.discover()
        return found.restricted_to(
            [
                source.environment_id
                for source in found.sources
                if passed.get(source.environment_id) == source.source_hash
            ]
        )


def _is_usable(source: EnvironmentSource, catalog: Catalog) -> bool:
    try:
        _, may_import = read_source(Subject.read(source))
        return may_import and bool(catalog.load(source.environment_id))
    except EnvironmentSourceError:
        return False


class SandboxPoolResource(dg.ConfigurableResource[SandboxPool]):
    """Hands assets the pool of environments.

    Attributes:
        home: The home; empty for what `ENVFACTORY_HOME` names when the run starts.
    """

    home: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> SandboxPool:
        """Return the pool."""
        return SandboxPool(shipped=SHIPPED_ROOT, unreviewed=home_of(self.home).pool)
