"""What the jobs are told: frozen settings, read from one JSON file.

Every job has presets. `tiny`, the default, is sized for two CPU cores; `published` carries the
numbers of the published training setup for real models. What a file says goes before its preset.
"""

import json
from pathlib import Path
from typing import Annotated, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from envfactory_assets.records.datasets import Split
from envfactory_assets.stages.reward.settings import RewardSettings
from rl_jobs.errors import ConfigError
from sandboxes.confinement.loading import load_confined
from sandboxes.core.catalog import SHIPPED_ROOT, Catalog, Origin

Preset = Literal["tiny", "published"]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionLimits(_Settings):
    """How much one attempt at a task may do.

    Attributes:
        max_calls: Calls that reach the session.
        max_questions: Questions that the user still answers, and as many more as it has things to
            do.
        max_messages: Messages of the agent, after which the attempt ends.
        max_message_tokens: Tokens of one message of the agent.
        max_total_tokens: Prompt and attempt together; beyond it the attempt ends.
        call_timeout_seconds: After which a call counts as a fault.
    """

    max_calls: Count = 4
    max_questions: Annotated[int, Field(ge=0)] = 1
    max_messages: Count = 4
    max_message_tokens: Count = 64
    max_total_tokens: Count = 448
    call_timeout_seconds: Annotated[float, Field(gt=0.0)] = 5.0


class TinyModel(_Settings):
    """The shape of the randomly initialised policy.

    Attributes:
        vocabulary: Tokens of the tokenizer that is trained on the corpus.
        hidden: Width.
        layers: Depth.
        heads: Attention heads, as many for keys and values.
        feed_forward: Width of the feed-forward layers.
        result_items: Items of a list in a tool result that the policy sees.
        result_fields: Fields of such an item.
    """

    vocabulary: Count = 1024
    hidden: Count = 128
    layers: Count = 4
    heads: Count = 4
    feed_forward: Count = 320
    result_items: Count = 8
    result_fields: Count = 3


class TaskSelection(_Settings):
    """Which tasks of a file are used, up to limits.

    Attributes:
        splits: Of these splits.
        max_prompt_tokens: With a prompt of at most this many tokens.
        max_reference_calls: With a reference of at most this many calls.
        max_tasks: At most this many, the shortest prompts first; None for all.
        spread: Whether splits, and domains in them, take turns in giving their shortest; else the
            shortest of all are used.
    """

    splits: tuple[Split, ...] = ("train",)
    max_prompt_tokens: Count = 200
    max_reference_calls: Count = 2
    max_tasks: Count | None = None
    spread: bool = False


class JobConfig(_Settings):
    """What every job is told.

    Attributes:
        preset: Where the defaults come from.
        output_folder: Where everything is written.
        seed: Seed of every random choice.
        threads: CPU threads of torch; a fixed number, so that a rerun gives the same.
        use_cpu: Whether to leave a GPU alone.
    """

    preset: Preset = "tiny"
    output_folder: Path
    seed: int = 0
    threads: Count = 2
    use_cpu: bool = True


class TrainConfig(JobConfig):
    """What both trainers are told.

    Attributes:
        rows_file: JSON lines, `SftExample` for SFT and `RlTask` for GRPO.
        train_steps: Optimiser steps.
        learning_rate: At its highest.
        warmup_share: Share of the steps in which it rises.
        adam_beta2: How long the optimiser remembers the size of gradients.
        micro_batch: Sequences in one forward pass.
        checkpoint_steps: Save every so many steps and continue from there when started again;
            0 for never.
        lora_rank: Train adapters of this rank and merge them at the end; 0 to train everything.
    """

    rows_file: Path
    train_steps: Count = 1
    learning_rate: Annotated[float, Field(gt=0.0)] = 1e-3
    warmup_share: Share = 0.05
    adam_beta2: Share = 0.99
    micro_batch: Count = 16
    checkpoint_steps: Annotated[int, Field(ge=0)] = 0
    lora_rank: Annotated[int, Field(ge=0)] = 0


class SftConfig(TrainConfig):
    """What `rl_jobs.sft` is told.

    Attributes:
        model: A folder or a name to start from; None for the tiny random policy.
        splits: Which examples to imitate.
        batch_size: Conversations in one optimiser step.
        max_tokens: What does not fit is cut after the last turn that does.
        tiny: The shape of the tiny policy.
    """

    model: str | None = None
    splits: tuple[Split, ...] = ("train",)
    train_steps: Count = 400
    batch_size: Count = 8
    learning_rate: Annotated[float, Field(gt=0.0)] = 4e-3
    max_tokens: Count = 256
    tiny: TinyModel = TinyModel()


class GrpoConfig(TrainConfig):
    """What `rl_jobs.grpo` is told.

    Attributes:
        model: The folder or name of the policy to train.
        tasks: Which tasks to roll out.
        limits: How much one attempt may do.
        reward: The weights of the reward.
        tasks_per_step: Groups in one optimiser step.
        group_size: Attempts at each task.
        temperature: Of sampling.
        kl_weight: Weight of the distance to the starting policy; 0 for none.
        environment_roots: Folder trees of generated or imported environments, and which they are.
    """

    model: str
    tasks: TaskSelection = TaskSelection()
    limits: SessionLimits = SessionLimits()
    reward: RewardSettings = RewardSettings()
    train_steps: Count = 40
    learning_rate: Annotated[float, Field(gt=0.0)] = 5e-4
    micro_batch: Count = 64
    tasks_per_step: Count = 8
    group_size: Annotated[int, Field(ge=2)] = 8
    temperature: Annotated[float, Field(gt=0.0)] = 1.0
    kl_weight: Annotated[float, Field(ge=0.0)] = 0.0
    environment_roots: tuple[tuple[Path, Origin], ...] = ()


HELD_OUT_TASKS = TaskSelection(
    splits=("validation", "test_chains", "test_environments"), max_tasks=60, spread=True
)


class EvaluatedPolicy(_Settings):
    """One policy to evaluate.

    Attributes:
        name: What the report calls it.
        model: Its folder or name.
        untrained: Whether to draw its weights anew at random: the policy before training.
    """

    name: str
    model: str
    untrained: bool = False


class EvaluateConfig(JobConfig):
    """What `rl_jobs.evaluate` is told.

    Attributes:
        rows_file: JSON lines of `RlTask`.
        policies: Which policies, in the order of the report.
        tasks: Which tasks; the same for every policy.
        limits: How much one attempt may do.
        reward: The weights of the reward.
        batch_size: Attempts that run at once.
        samples: Attempts at each task with sampled tokens, besides the one that always takes the
            likeliest: what pass@1 and pass@k are estimated from; 0 for none.
        k: Of pass@k; estimated where there are as many samples.
        temperature: Of sampling.
        environment_roots: Folder trees of generated or imported environments, and which they are.
    """

    rows_file: Path
    policies: Annotated[tuple[EvaluatedPolicy, ...], Field(min_length=1)]
    tasks: TaskSelection = HELD_OUT_TASKS
    limits: SessionLimits = SessionLimits()
    reward: RewardSettings = RewardSettings()
    batch_size: Count = 128
    samples: Annotated[int, Field(ge=0)] = 2
    k: Count = 2
    temperature: Annotated[float, Field(gt=0.0)] = 1.0
    environment_roots: tuple[tuple[Path, Origin], ...] = ()


_PUBLISHED_LIMITS: dict[str, JsonValue] = {
    "max_calls": 10,
    "max_questions": 2,
    "max_messages": 10,
    "max_message_tokens": 2048,
    "max_total_tokens": 24576,
}
_PUBLISHED_TASKS: dict[str, JsonValue] = {"max_prompt_tokens": 16384, "max_reference_calls": 15}
_PUBLISHED: dict[str, dict[str, JsonValue]] = {
    "SftConfig": {
        "adam_beta2": 0.999,
        "learning_rate": 1e-6,
        "warmup_share": 0.1,
        "batch_size": 32,
        "micro_batch": 1,
        "max_tokens": 16384,
        "train_steps": 300,
        "use_cpu": False,
    },
    "GrpoConfig": {
        "adam_beta2": 0.999,
        "learning_rate": 1e-6,
        "micro_batch": 1,
        "tasks_per_step": 32,
        "group_size": 8,
        "temperature": 0.7,
        "kl_weight": 0.001,
        "train_steps": 200,
        "use_cpu": False,
        "limits": _PUBLISHED_LIMITS,
        "tasks": _PUBLISHED_TASKS,
    },
    "EvaluateConfig": {
        "use_cpu": False,
        "limits": _PUBLISHED_LIMITS,
        "batch_size": 64,
        "samples": 8,
        "k": 4,
        "temperature": 0.7,
        "tasks": {
            **_PUBLISHED_TASKS,
            "splits": ["validation", "test_chains", "test_environments"],
            "spread": True,
        },
    },
}

_Config = TypeVar("_Config", bound=JobConfig)


def load_config(path: Path, kind: type[_Config]) -> _Config:
    """Read a configuration from a JSON file.

    Raises:
        ConfigError: If the file is missing or no JSON object, or a setting is unknown or wrong.
    """
    return parse_config(read_settings(path), kind)


def read_settings(path: Path) -> dict[str, JsonValue]:
    """Read the JSON object of a configuration file.

    Raises:
        ConfigError: If the file is missing or no JSON object.
    """
    try:
        given = cast("JsonValue", json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(
            f"Configuration file {str(path)!r} cannot be read: {error.strerror}. Give a JSON file "
            "with --config."
        ) from error
    except ValueError as error:
        raise ConfigError(f"Configuration file {str(path)!r} is not JSON: {error}.") from error
    if not isinstance(given, dict):
        raise ConfigError(f"Configuration file {str(path)!r} holds no JSON object.")
    return given


def parse_config(given: dict[str, JsonValue], kind: type[_Config]) -> _Config:
    """Return a configuration from JSON values, its preset filled in.

    Raises:
        ConfigError: If a setting is unknown or wrong.
    """
    preset = _published(kind) if given.get("preset") == "published" else {}
    try:
        return kind.model_validate_json(json.dumps(merged(preset, given)))
    except ValidationError as error:
        raise ConfigError(_sentence(error, kind)) from error


def discover_environments(roots: tuple[tuple[Path, Origin], ...]) -> Catalog:
    """Return the catalog of the shipped environments and those of further folder trees.

    What is generated or imported runs in confined workers of this process.
    """
    return Catalog.discover(((SHIPPED_ROOT, "shipped"), *roots), load_confined)


def merged(preset: dict[str, JsonValue], given: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a preset with what was given over it, one level deep."""
    result = dict(preset)
    for key, value in given.items():
        below = result.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            result[key] = {**below, **value}
        else:
            result[key] = value
    return result


def _published(kind: type[BaseModel]) -> dict[str, JsonValue]:
    """Return the published numbers for a job, whichever trainer does it."""
    return next(_PUBLISHED[one.__name__] for one in kind.__mro__ if one.__name__ in _PUBLISHED)


def _sentence(error: ValidationError, kind: type[BaseModel]) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return (
            f"Unknown setting {where!r}; allowed here: {', '.join(_allowed(kind, first['loc']))}."
        )
    if first["type"] == "missing":
        return f"Setting {where!r} is missing; {kind.__name__} needs it."
    return f"Setting {where!r} is {first['input']!r}: {first['msg']}."


def _allowed(kind: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Return the settings that stand where an unknown one was found."""
    fields = kind.model_fields
    for part in location[:-1]:
        annotation = fields[str(part)].annotation if str(part) in fields else None
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            fields = annotation.model_fields
        elif not isinstance(part, int):
            fields = EvaluatedPolicy.model_fields
    return sorted(fields)
