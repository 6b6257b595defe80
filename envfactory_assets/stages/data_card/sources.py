"""What the data card is written from: a few columns of each table, and the versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.records.queries import Operation
from envfactory_assets.records.record import JsonObject, Record


class EnvironmentColumns(Record):
    """Of `environments`."""

    environment_id: str
    origin: str
    source_hash: str
    verified: bool
    tool_count: int
    write_tool_count: int
    mutation_score: float | None


class DraftColumns(Record):
    """Of `draft_queries`."""

    made_by: str


class QueryColumns(Record):
    """Of `refined_queries`."""

    task_id: str
    turn: int
    draft_text: str
    refined_text: str
    operations: tuple[Operation, ...]
    disclosures: tuple[JsonObject, ...]
    made_by: str


class AttemptColumns(Record):
    """Of `candidate_trajectories`."""

    task_id: str
    kept: bool
    solver_policy: str
    made_by: str


class ReferenceColumns(Record):
    """Of `filtered_trajectories`."""

    task_id: str
    kept: bool
    drop_reason: str | None
    queries: tuple[str, ...]
    reference_calls: tuple[JsonObject, ...]
    do_nothing_reward: float
    solved_share: float
    removed_steps: int


class SplitColumn(Record):
    """Of every dataset."""

    split: str


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One current version of a table's partition."""

    asset: str
    partition: str
    rows: int
    data_version: str
    code_version: str


@dataclass(frozen=True, slots=True)
class CardSources:
    """Everything that the card is written from.

    Attributes:
        profile: The name of the profile.
        seed: Its seed.
        held_out: Environments that are not trained on.
        contamination_files: Names of the files of benchmark questions.
        chain_count: How many chains were sampled.
        splits: Rows by dataset and split.
        versions: The current versions, in order of table and partition.
    """

    profile: str
    seed: int
    held_out: Sequence[str]
    contamination_files: Sequence[str]
    chain_count: int
    tasks: Sequence[DatasetTask]
    environments: Sequence[EnvironmentColumns]
    drafts: Sequence[DraftColumns]
    queries: Sequence[QueryColumns]
    attempts: Sequence[AttemptColumns]
    references: Sequence[ReferenceColumns]
    splits: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, dict[str, int]])
    versions: Sequence[VersionLine] = ()
