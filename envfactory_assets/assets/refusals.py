"""The asset of refusal tasks."""

from collections import Counter
from collections.abc import Sequence

import dagster as dg

from envfactory_assets.assets.session_catalog import session_catalog, source_hashes
from envfactory_assets.code_versions import code_version
from envfactory_assets.materialization import Made, Recipe, materialize
from envfactory_assets.records.datasets import RlTask
from envfactory_assets.stages.datasets.exports import write_refusals
from envfactory_assets.stages.refusals.variants import refusal_tasks as vary
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.home import Home
from envfactory_resources.sandbox_pool import SandboxPool
from envfactory_resources.stored_rows import rows_of


@dg.asset(
    group_name="datasets",
    owners=["team:training"],
    kinds={"jsonl"},
    code_version=code_version(
        "envfactory_assets.stages.refusals",
        "envfactory_assets.stages.datasets",
        "envfactory_assets.stages.reward",
        "envfactory_assets.stages.trajectories",
        "sandboxes.core",
    ),
    ins=rows_of("rl_dataset"),
)
def refusal_tasks(
    context: dg.AssetExecutionContext,
    warehouse: dg.ResourceParam[Warehouse],
    sandbox_pool: dg.ResourceParam[SandboxPool],
    rl_dataset: Sequence[RlTask],
) -> dg.MaterializeResult:
    """Turns without the tool or the value that they need, whose right answer is to decline."""
    catalog = session_catalog(warehouse, sandbox_pool)
    folder = Home(warehouse.root).exports / "refusal_tasks"

    def make(_: str | None) -> Made:
        outcome = vary(rl_dataset, catalog)
        files = write_refusals(outcome.rows, folder)
        counts = Counter(row.variant for row in outcome.rows)
        shown = {
            "rows_by_variant": dg.MetadataValue.json(dict(sorted(counts.items()))),
            "files": dg.MetadataValue.json([str(path) for path in files]),
        }
        return Made(outcome.rows, len(rl_dataset), outcome.dropped, shown)

    recipe = Recipe(
        parents=lambda _: [("rl_dataset", None)],
        make=make,
        settings=source_hashes(catalog, warehouse, "rl_dataset"),
        columns=("row_id", "split", "variant", "missing", "answer_reward", "wrong_reward"),
        has_files=lambda _: folder.exists(),
    )
    return materialize(context, warehouse, recipe)
