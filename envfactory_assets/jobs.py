"""The jobs: the main job's four legs, training alone, and a model at an endpoint."""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

ENVIRONMENT_ASSETS = (
    "environment_proposals",
    "environment_attempts",
    "environments",
    "tool_parameters",
    "tool_graphs",
)
LINK_ASSETS = ("cross_domain_links",)
TASK_ASSETS = (
    "sampled_chains",
    "draft_queries",
    "refined_queries",
    "candidate_trajectories",
    "filtered_trajectories",
)
DATASET_ASSETS = (
    "dataset_tasks",
    "sft_dataset",
    "rl_dataset",
    "preference_dataset",
    "refusal_tasks",
    "data_card",
    "refinement_ablation",
)
TRAINING_ASSETS = ("sft_policy", "grpo_policy", "evaluation_report")
ENDPOINT_ASSETS = ("endpoint_evaluation",)

ENVIRONMENT_JOB = "environment_job"
LINK_JOB = "link_job"
TASK_JOB = "task_job"
DATASET_JOB = "dataset_job"
TRAINING_JOB = "training_job"
ENDPOINT_JOB = "endpoint_job"


def all_jobs() -> list[UnresolvedAssetJobDefinition]:
    """Return every job; the first and the third run one domain at a time or several."""
    return [
        dg.define_asset_job(
            ENVIRONMENT_JOB,
            list(ENVIRONMENT_ASSETS),
            description="Propose, write and verify environments of a domain; build its tool graph.",
        ),
        dg.define_asset_job(
            LINK_JOB, list(LINK_ASSETS), description="Link the tool graphs of all domains."
        ),
        dg.define_asset_job(
            TASK_JOB,
            list(TASK_ASSETS),
            description="Sample chains, write queries, solve and filter them, for a domain.",
        ),
        dg.define_asset_job(
            DATASET_JOB,
            list(DATASET_ASSETS),
            description="Choose the tasks, build the datasets and their files.",
        ),
        dg.define_asset_job(
            TRAINING_JOB,
            [*DATASET_ASSETS, *TRAINING_ASSETS],
            description="Rebuild the datasets, train by SFT and GRPO, and evaluate.",
        ),
        dg.define_asset_job(
            ENDPOINT_JOB,
            list(ENDPOINT_ASSETS),
            description="Evaluate the model at the profile's endpoint on held-out tasks.",
        ),
    ]
