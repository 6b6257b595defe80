"""A platform of three domains under a temporary folder: what the wiring is tried on.

Messenger is linked with hotel booking and with payments, which are not linked with each other.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import dagster as dg

from envfactory_assets.definitions import build_definitions
from envfactory_assets.main_job import LegOutcome, in_this_process, run_leg, run_main_job
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.embedding_model import Embedding
from envfactory_resources.profiles import Profile
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.warehouse import WarehouseIOManager
from sandboxes.core.catalog import SHIPPED_ROOT

DOMAINS = ("travel", "lifestyle", "finance")
PROFILE = Profile(
    name="test",
    chains_per_domain=4,
    mutation_score=False,
    held_out_environments=("finance.payments",),
)
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}

Versions = dict[tuple[str, str | None], str]


@dataclass(frozen=True)
class Platform:
    """Resources, and ways to run what is defined over them.

    Attributes:
        root: Holds the home and a copy of the shipped environments.
        profile: What is made.
        more: Resources in place of those made here.
    """

    root: Path
    profile: Profile = PROFILE
    more: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def make(cls, root: Path, domains: Sequence[str] = DOMAINS) -> "Platform":
        """Make an empty home beside a copy of the environments of some domains."""
        for domain in domains:
            shutil.copytree(
                SHIPPED_ROOT / domain,
                root / "tree" / domain,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        return cls(root)

    def copy(self, root: Path) -> "Platform":
        """Copy everything under another root; its views show files of that root again."""
        shutil.copytree(self.root, root)
        copied = replace(self, root=root)
        copied.warehouse.publish()
        return copied

    def seeded(self, seed: int) -> "Platform":
        """Return the same home with another seed."""
        return replace(self, profile=self.profile.model_copy(update={"seed": seed}))

    @property
    def warehouse(self) -> Warehouse:
        return Warehouse(self.root / "home")

    @property
    def tree(self) -> Path:
        return self.root / "tree"

    @property
    def resources(self) -> Mapping[str, object]:
        home = self.warehouse.root
        return {
            "warehouse": self.warehouse,
            "io_manager": WarehouseIOManager(home=str(home)),
            "profile": self.profile,
            "embedding": Embedding(HashingEmbedding(), 0.5),
            "sandbox_pool": SandboxPool(shipped=self.tree, unreviewed=home / "pool"),
            **self.more,
        }

    @property
    def definitions(self) -> dg.Definitions:
        return build_definitions(self.resources)

    def run(
        self, job: str, domain: str | None = None, instance: dg.DagsterInstance | None = None
    ) -> LegOutcome:
        """Run one leg of the main job."""
        return run_leg(self.definitions, instance or any_instance(), job, domain)

    def run_main_job(
        self, *domains: str, instance: dg.DagsterInstance | None = None
    ) -> list[LegOutcome]:
        """Run the main job without training, in this process."""
        legs = in_this_process(self.definitions, instance or any_instance())
        return list(run_main_job(legs, domains or DOMAINS, with_training=False))

    def materialize(
        self,
        *assets: str,
        domain: str | None = None,
        last_domain: str | None = None,
        instance: dg.DagsterInstance | None = None,
    ) -> dg.ExecuteInProcessResult:
        """Materialize assets and run their checks: no partition, one, or a range of them."""
        selection = dg.AssetSelection.assets(*assets)
        job = dg.define_asset_job("chosen", selection).resolve(
            asset_graph=self.definitions.resolve_asset_graph()
        )
        return job.execute_in_process(
            instance=instance or any_instance(),
            partition_key=None if last_domain else domain,
            tags=_range(domain, last_domain),
            run_config=QUIET,
            raise_on_error=False,
        )

    def versions(self) -> Versions:
        """Return the id of every current version."""
        return {key: each.version_id for key, each in self._current().items()}

    def data_versions(self) -> Versions:
        """Return the content hash of every current version."""
        return {key: each.data_version for key, each in self._current().items()}

    def _current(self):
        return {(each.asset, each.partition): each for each in self.warehouse.versions()}


@cache
def any_instance() -> dg.DagsterInstance:
    """Return the instance of runs whose records no test looks at; making one costs 0.2 s."""
    return dg.DagsterInstance.ephemeral()


def _range(first: str | None, last: str | None) -> dict[str, str] | None:
    if last is None:
        return None
    return {
        "dagster/asset_partition_range_start": str(first),
        "dagster/asset_partition_range_end": last,
    }
