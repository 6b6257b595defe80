"""What the verl jobs are told: the settings of the TRL jobs, a machine, and verl's own keys.

A machine's preset (`presets/<machine>.yaml`) fills in settings and verl's keys; what the
configuration file says goes before it.
"""

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, TypeVar, cast, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from rl_jobs.config import GrpoConfig, SftConfig, TrainConfig, merged, parse_config, read_settings
from rl_jobs.errors import ConfigError

Machine = Literal["cpu", "qwen3_1_7b", "qwen3_4b", "qwen3_8b"]
Backend = Literal["hf_cpu", "vllm", "sglang"]
Count = Annotated[int, Field(ge=1)]
Keys = dict[str, JsonValue]


class VerlSftConfig(SftConfig):
    """What `rl_jobs.verl.sft` is told.

    Attributes:
        machine: The preset: what is trained and on what.
        nodes: Machines; above 1 the job is to be started on each by torchrun or Slurm.
        gpus_per_node: Processes on each.
        verl: verl's keys that go before everything else, `{"optim.weight_decay": 0.1}`; `+` before
            a key adds one that verl does not list.
    """

    machine: Machine = "cpu"
    nodes: Count = 1
    gpus_per_node: Count = 1
    verl: Keys = Field(default_factory=dict)


class VerlGrpoConfig(GrpoConfig):
    """What `rl_jobs.verl.grpo` is told.

    Attributes:
        machine: The preset: what is trained and on what.
        rollout: What generates.
        mini_batch: Tasks in one optimiser step of a train step.
        nodes: Machines of the Ray cluster.
        gpus_per_node: GPUs of each.
        ray_address: The Ray cluster to join; None starts one on this machine.
        verl: verl's keys that go before everything else; `+` before a key adds one that verl does
            not list.
    """

    machine: Machine = "cpu"
    rollout: Backend = "hf_cpu"
    mini_batch: Count | None = None
    nodes: Count = 1
    gpus_per_node: Count = 1
    ray_address: str | None = None
    verl: Keys = Field(default_factory=dict)


class Preset(BaseModel):
    """A machine's preset.

    Attributes:
        sft: Settings of the SFT job.
        grpo: Settings of the GRPO job.
        verl_sft: verl's keys for SFT.
        verl_grpo: verl's keys for GRPO.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sft: Keys
    grpo: Keys
    verl_sft: Keys
    verl_grpo: Keys


_Verl = TypeVar("_Verl", VerlSftConfig, VerlGrpoConfig)


def load_verl_config(path: Path, kind: type[_Verl]) -> _Verl:
    """Read a configuration from a JSON file.

    Raises:
        ConfigError: If the file is missing or no JSON object, or a setting is unknown or wrong.
    """
    return parse_verl_config(read_settings(path), kind)


def parse_verl_config(given: Keys, kind: type[_Verl]) -> _Verl:
    """Return a configuration from JSON values, its presets filled in.

    Raises:
        ConfigError: If a setting is unknown or wrong.
    """
    preset = read_preset(str(given.get("machine", "cpu")))
    filled = preset.sft if kind is VerlSftConfig else preset.grpo
    config = parse_config(merged(filled, given), kind)
    if isinstance(config, VerlGrpoConfig):
        _check_backend(config)
    return config


def read_preset(machine: str) -> Preset:
    """Return the preset of a machine.

    Raises:
        ConfigError: If there is none.
    """
    if machine not in get_args(Machine):
        raise ConfigError(
            f"Unknown machine {machine!r}; there are presets for: {', '.join(get_args(Machine))}."
        )
    return Preset.model_validate(_read_yaml(machine))


def backend_keys(backend: Backend) -> Keys:
    """Return verl's keys for a rollout backend."""
    return cast("dict[str, Keys]", _read_yaml("backends"))[backend]


def verl_keys(config: TrainConfig) -> tuple[Keys, Keys]:
    """Return verl's keys of a job's preset, and those that the configuration puts before all."""
    if isinstance(config, VerlSftConfig):
        return read_preset(config.machine).verl_sft, config.verl
    if isinstance(config, VerlGrpoConfig):
        preset = read_preset(config.machine).verl_grpo
        return {**preset, **backend_keys(config.rollout)}, config.verl
    raise TypeError(f"{type(config).__name__} is no configuration of a verl job.")


def _check_backend(config: VerlGrpoConfig) -> None:
    if (config.rollout == "hf_cpu") == config.use_cpu:
        return
    fitting = "hf_cpu" if config.use_cpu else "vllm or sglang"
    raise ConfigError(
        f"Setting 'rollout' is {config.rollout!r} and 'use_cpu' is {config.use_cpu}; give "
        f"{fitting}, or change use_cpu."
    )


def _read_yaml(name: str) -> JsonValue:
    text = files("rl_jobs.verl").joinpath("presets", f"{name}.yaml").read_text(encoding="utf-8")
    try:
        return cast("JsonValue", yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"Preset {name!r} is broken: {error}.") from error
