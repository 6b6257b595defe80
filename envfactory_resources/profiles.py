"""Profiles: named settings that say which implementation plays each role, and how much is made."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import dagster as dg
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from envfactory_assets.stages.attempts.settings import GenerationSettings
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.datasets.settings import (
    PUBLISHED_CORPUS,
    DatasetSettings,
    DistributionTargets,
)
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL
from envfactory_resources.clients.language_model.usage import TokenPrices
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.home import CHECKOUT

Implementation = Literal["rules", "model"]
PROFILE_VARIABLE = "ENVFACTORY_PROFILE"
FILE_VARIABLE = "ENVFACTORY_CONFIG"
_OVERRIDES = {
    "ENVFACTORY_SEED": "seed",
    "ENVFACTORY_CHAINS_PER_DOMAIN": "chains_per_domain",
    "ENVFACTORY_CANDIDATES": "candidates",
    "ENVFACTORY_EMBEDDING_MODEL": "embedding_model",
    "ENVFACTORY_RETRAIN_AFTER_ROWS": "retrain_after_rows",
}


class Role(StrEnum):
    """What an agent does in the pipeline."""

    RESEARCHER = "researcher"
    CODER = "coder"
    TESTER = "tester"
    PARAMETER_LABELLER = "parameter_labeller"
    GRAPH_REVIEWER = "graph_reviewer"
    SCENARIO_PLANNER = "scenario_planner"
    QUERY_WRITER = "query_writer"
    REFINER = "refiner"
    TEACHER = "teacher"
    USER = "user"
    JUDGE = "judge"


class ModelEndpoint(BaseModel):
    """A Messages endpoint.

    Attributes:
        model: The model's name there.
        base_url: Where; None for Anthropic's own.
        api_key_variable: The environment variable that holds the key. The key itself is never
            written anywhere. A server with a `base_url` gets a key only if this is given.
        max_concurrency: How many requests run at once.
        max_retries: How often a request that was refused for load or lost is sent again.
        timeout_seconds: How long one request may take.
        prices: US dollars for a million tokens; with them asset pages say what each role cost.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: str
    base_url: str | None = None
    api_key_variable: str = "ANTHROPIC_API_KEY"
    max_concurrency: Annotated[int, Field(ge=1)] = 4
    max_retries: Annotated[int, Field(ge=0)] = 5
    timeout_seconds: Annotated[float, Field(gt=0)] = 120.0
    prices: TokenPrices | None = None


class WebSearchSettings(BaseModel):
    """What the researcher searches with, where the endpoint has no search of its own.

    Attributes:
        folder: A folder of documents; it wins over commands.
        search_command: Program and arguments; the query becomes the last one. It writes one JSON
            object a line: `address`, `title`, `excerpt`.
        read_command: Program and arguments; the address becomes the last one. It writes a page.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    folder: str | None = None
    search_command: tuple[str, ...] = ()
    read_command: tuple[str, ...] = ()


class Profile(BaseModel):
    """Everything that a run is configured by.

    Attributes:
        name: `offline`, `anthropic`, or one of the user's own.
        seed: Seed of every random choice.
        chains_per_domain: The size: how many chains are sampled in each domain.
        candidates: How many candidates solve each task.
        refinement: `off` leaves requests as they were drafted: the other arm of the ablation.
        roles: Who plays each role; roles that are not named are played by rules.
        endpoint: Where the roles played by a model send their requests.
        generation: How many environments are proposed and how long each is tried.
        approval: Whether code is written for every proposal, or only for those that a person
            approved or edited.
        promotion: Whether accepted environments become files of the pool by themselves.
        search: What the researcher searches with; None for the search of Anthropic's endpoint,
            and for none at other endpoints.
        embedding_model: The packaged model, a model's name, or a folder.
        similarity_threshold: Wins over the threshold known for the embedding model.
        overlap_threshold: From which cosine on two tools are the same, when a proposal is compared
            with the pool; needed for an embedding model that no threshold is known for.
        mutation_score: Whether verification also measures which injected faults the cases catch.
        held_out_environments: Environments that no training split contains.
        contamination_files: Files of public benchmarks' questions, below the home or absolute;
            tasks that share a run of words with one are left out of the datasets.
        distribution: What the tasks to train on shall look like: targets, `published_corpus` for
            those of EnvFactory's corpus, or nothing to leave them as sampled.
        retrain_after_rows: How many new trajectories make the sensor start a training job.
        training: Settings by training job (`sft`, `grpo`, `evaluate`), over their preset.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str
    seed: int = 0
    chains_per_domain: Annotated[int, Field(ge=1)] = 64
    candidates: Annotated[int, Field(ge=2)] = 4
    refinement: Literal["calibrated", "off"] = "calibrated"
    roles: dict[Role, Implementation] = Field(default_factory=dict[Role, Implementation])
    endpoint: ModelEndpoint | None = None
    generation: GenerationSettings = GenerationSettings()
    approval: Literal["automatic", "by_hand"] = "automatic"
    promotion: Literal["automatic", "by_hand"] = "automatic"
    search: WebSearchSettings | None = None
    embedding_model: str = PACKAGED_MODEL
    similarity_threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    overlap_threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    mutation_score: bool = True
    held_out_environments: tuple[str, ...] = ("utilities.file_store",)
    contamination_files: tuple[str, ...] = ()
    distribution: Literal["published_corpus"] | DistributionTargets | None = None
    retrain_after_rows: Annotated[int, Field(ge=1)] = 100
    training: dict[str, dict[str, JsonValue]] = Field(
        default_factory=dict[str, dict[str, JsonValue]]
    )

    def plays(self, role: Role) -> Implementation:
        """Return which implementation plays a role."""
        return self.roles.get(role, "rules")

    def players(self, *roles: Role) -> dict[str, JsonValue]:
        """Return who plays some roles, models by name: what rows that they make change with."""
        model = f"model:{self.endpoint.model}" if self.endpoint else "model"
        return {role.value: model if self.plays(role) == "model" else "rules" for role in roles}

    def job_settings(self, job: str) -> dict[str, JsonValue]:
        """Return what the profile tells a training job: `sft`, `grpo` or `evaluate`."""
        return dict(self.training.get(job, {}))

    @property
    def sampler(self) -> SamplerSettings:
        """Settings of the sampler."""
        return SamplerSettings(chains_per_domain=self.chains_per_domain)

    @property
    def queries(self) -> QuerySettings:
        """Settings of the query stages."""
        return QuerySettings(seed=self.seed, refinement=self.refinement)

    @property
    def trial(self) -> QuerySettings:
        """How chains are tried out while drawn: as the query stage will, on two scenarios."""
        return self.queries.model_copy(update={"scenario_attempts": 2})

    @property
    def datasets(self) -> DatasetSettings:
        """Settings of the datasets."""
        targets = self.distribution
        if targets == "published_corpus":
            targets = PUBLISHED_CORPUS
        return DatasetSettings(held_out=self.held_out_environments, targets=targets)

    @property
    def trajectories(self) -> TrajectorySettings:
        """Settings of the trajectory stages."""
        return TrajectorySettings(seed=self.seed, candidates=self.candidates)


_BUILT_IN: dict[str, dict[str, JsonValue]] = {
    "offline": {},
    "anthropic": {
        "roles": {role.value: "model" for role in Role},
        "endpoint": {
            "model": "claude-sonnet-4-5",
            "max_concurrency": 16,
            "timeout_seconds": 600.0,
        },
        "generation": {"target_environments_per_domain": 2},
    },
}


class _ProfilesFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    profiles: dict[str, dict[str, JsonValue]] = Field(
        default_factory=dict[str, dict[str, JsonValue]]
    )


def load_profile(variables: Mapping[str, str]) -> Profile:
    """Return the profile that the variables and the configuration file ask for.

    `ENVFACTORY_PROFILE` names it (`offline` by default). `[profiles.<name>]` tables of the file
    that `ENVFACTORY_CONFIG` names, else of `envfactory.toml` in the checkout, add profiles or
    change built-in ones; `ENVFACTORY_SEED`, `ENVFACTORY_CHAINS_PER_DOMAIN` and the like win.

    Raises:
        ConfigurationError: If the file, the profile or a setting cannot be used.
    """
    tables = _tables(variables)
    name = variables.get(PROFILE_VARIABLE) or "offline"
    known = sorted({*_BUILT_IN, *tables})
    if name not in known:
        raise ConfigurationError(
            f"Unknown profile {name!r}; available: {', '.join(known)}. Set {PROFILE_VARIABLE} to "
            f"one of them, or add a [profiles.{name}] table to envfactory.toml."
        )
    settings = {**_BUILT_IN.get(name, {}), **tables.get(name, {}), "name": name}
    settings |= {
        setting: _plain(variables[variable])
        for variable, setting in _OVERRIDES.items()
        if variables.get(variable)
    }
    try:
        return Profile.model_validate_json(json.dumps(settings))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            f"Profile {name!r} cannot be used: {where}: {first['msg']}, got "
            f"{str(first['input'])[:80]!r}. Allowed settings: {', '.join(Profile.model_fields)}."
        ) from error


def _tables(variables: Mapping[str, str]) -> dict[str, dict[str, JsonValue]]:
    named = variables.get(FILE_VARIABLE)
    path = Path(named) if named else CHECKOUT / "envfactory.toml"
    if not path.exists():
        if named:
            raise ConfigurationError(f"{FILE_VARIABLE} names {named!r}, which does not exist.")
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read as TOML: {error}. Mend it, or move it away to run on built-in "
            "profiles."
        ) from error
    try:
        return _ProfilesFile.model_validate(content).profiles
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(
            f"{path} holds {'.'.join(str(part) for part in first['loc'])!r}: {first['msg']}. "
            "Only tables [profiles.<name>] are allowed."
        ) from error


def _plain(text: str) -> JsonValue:
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else text


class ProfileResource(dg.ConfigurableResource[Profile]):
    """Hands assets the profile of the run.

    Attributes:
        name: The profile; empty for what `ENVFACTORY_PROFILE` names when the run starts.
    """

    name: str = ""

    def create_resource(self, context: dg.InitResourceContext) -> Profile:
        """Return the profile."""
        named = {PROFILE_VARIABLE: self.name} if self.name else {}
        return load_profile({**os.environ, **named})
