"""The tables: which record class each asset's rows are of."""

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import BaseModel

from envfactory_assets.records.attempts import EnvironmentAttempt
from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.datasets import (
    DataCardFigure,
    DatasetTask,
    PreferencePair,
    RefusalTask,
    RlTask,
    SftExample,
)
from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.records.queries import DraftQuery, RefinedQuery
from envfactory_assets.records.refinement_ablation import RefinementMeasure
from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter
from envfactory_assets.records.training import EvaluationRow, TrainedPolicy
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory

TABLES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {
        "environment_proposals": EnvironmentProposal,
        "environment_attempts": EnvironmentAttempt,
        "environments": EnvironmentRecord,
        "tool_parameters": ToolParameter,
        "tool_graphs": ToolGraphEdge,
        "cross_domain_links": CrossDomainLink,
        "sampled_chains": SampledChain,
        "draft_queries": DraftQuery,
        "refined_queries": RefinedQuery,
        "candidate_trajectories": CandidateTrajectory,
        "filtered_trajectories": FilteredTrajectory,
        "dataset_tasks": DatasetTask,
        "sft_dataset": SftExample,
        "rl_dataset": RlTask,
        "preference_dataset": PreferencePair,
        "refusal_tasks": RefusalTask,
        "data_card": DataCardFigure,
        "refinement_ablation": RefinementMeasure,
        "sft_policy": TrainedPolicy,
        "grpo_policy": TrainedPolicy,
        "evaluation_report": EvaluationRow,
        "endpoint_evaluation": EvaluationRow,
    }
)
