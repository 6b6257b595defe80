"""What Dagster loads: assets, checks, jobs, sensors and resources."""

from collections.abc import Mapping

import dagster as dg

from envfactory_assets.assets import (
    attempts,
    chains,
    data_card,
    datasets,
    environments,
    evaluation,
    proposals,
    queries,
    refinement_ablation,
    refusals,
    tool_graphs,
    training,
    trajectories,
)
from envfactory_assets.automation import flow_sensor, flowing, retraining_sensor
from envfactory_assets.checks import attempts as attempt_checks
from envfactory_assets.checks import chains as chain_checks
from envfactory_assets.checks import data_card as data_card_checks
from envfactory_assets.checks import datasets as dataset_checks
from envfactory_assets.checks import environments as environment_checks
from envfactory_assets.checks import evaluation as evaluation_checks
from envfactory_assets.checks import proposals as proposal_checks
from envfactory_assets.checks import queries as query_checks
from envfactory_assets.checks import refinement_ablation as refinement_ablation_checks
from envfactory_assets.checks import refusals as refusal_checks
from envfactory_assets.checks import tool_graphs as tool_graph_checks
from envfactory_assets.checks import training as training_checks
from envfactory_assets.checks import trajectories as trajectory_checks
from envfactory_assets.jobs import all_jobs
from envfactory_resources.embedding_model import EmbeddingResource
from envfactory_resources.profiles import ProfileResource
from envfactory_resources.sandbox_pool import SandboxPoolResource
from envfactory_resources.trainer import TrainerResource
from envfactory_resources.warehouse import WarehouseIOManager, WarehouseResource

_ASSET_MODULES = [
    proposals,
    attempts,
    environments,
    tool_graphs,
    chains,
    queries,
    trajectories,
    datasets,
    refusals,
    data_card,
    refinement_ablation,
    training,
    evaluation,
]
_CHECK_MODULES = [
    proposal_checks,
    attempt_checks,
    environment_checks,
    tool_graph_checks,
    chain_checks,
    query_checks,
    trajectory_checks,
    dataset_checks,
    refusal_checks,
    data_card_checks,
    refinement_ablation_checks,
    training_checks,
    evaluation_checks,
]


def default_resources() -> dict[str, object]:
    """Return the resources of a normal run; each reads its settings when the run starts."""
    profile = ProfileResource()
    return {
        "io_manager": WarehouseIOManager(),
        "warehouse": WarehouseResource(),
        "profile": profile,
        "sandbox_pool": SandboxPoolResource(),
        "embedding": EmbeddingResource(profile=profile),
        "trainer": TrainerResource(),
    }


def build_definitions(resources: Mapping[str, object] | None = None) -> dg.Definitions:
    """Return the definitions, with these resources instead of the default ones.

    Args:
        resources: Resources by key; those that are missing are the default ones.
    """
    loaded = dg.load_assets_from_modules(_ASSET_MODULES)
    assets = [asset for asset in loaded if isinstance(asset, dg.AssetsDefinition)]
    return dg.Definitions(
        assets=dg.map_asset_specs(flowing, assets),
        asset_checks=[check for module in _CHECK_MODULES for check in module.CHECKS],
        jobs=all_jobs(),
        sensors=[retraining_sensor(), flow_sensor()],
        resources={**default_resources(), **(resources or {})},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
