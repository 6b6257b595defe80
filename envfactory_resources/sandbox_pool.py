"""The pool of environments, and its Dagster resource: shipped ones, and those under the home.

What stands under the home nobody has reviewed: its code only ever runs in confined workers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_resources.warehouse import home_of
from sandboxes.confinement.loading import load_confined
from sandboxes.core.catalog import SHIPPED_ROOT, Catalog, Origin, unreviewed_roots


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

    def discover(self) -> Catalog:
        """Return every environment that is there now, verified or not."""
        roots: list[tuple[Path, Origin]] = [(self.shipped, "shipped")]
        if self.unreviewed is not None:
            roots += unreviewed_roots(self.unreviewed)
        return Catalog.discover(roots, load_confined)

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


class SandboxPoolResource(dg.ConfigurableResource[SandboxPool]):
    """Hands assets the pool of environments.

    Attributes:
        home: The home; empty for what `ENVFACTORY_HOME` names when the run starts.
    """

    home: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> SandboxPool:
        """Return the pool."""
        return SandboxPool(shipped=SHIPPED_ROOT, unreviewed=home_of(self.home).pool)
