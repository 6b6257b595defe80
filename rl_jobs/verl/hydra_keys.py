# pyright: basic, reportMissingImports=false
# verl stands in an environment of its own, and its types are partly unknown.
"""verl's configuration: composed from its own files, every key that is set checked first."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, cast

from pydantic import JsonValue

from rl_jobs.errors import ConfigError

Trainer = Literal["sft_trainer_engine", "ppo_trainer"]
ADDED = "+"
_SHOWN = 12


def check_keys(known: Mapping[str, JsonValue], keys: Mapping[str, JsonValue]) -> None:
    """Refuse a key that verl does not know.

    Args:
        known: verl's whole configuration, nested.
        keys: Dotted keys; one with `+` before it is added and so need not be known.

    Raises:
        ConfigError: If one is not known; the message names it and what stands there.
    """
    for key in keys:
        if not key.startswith(ADDED):
            _check_key(known, key)


def compose(trainer: Trainer, keys: Mapping[str, JsonValue], path: Path) -> Path:
    """Write the whole configuration of a verl trainer as one file and return its path.

    Raises:
        ConfigError: If a key is unknown or a value that verl needs is missing.
    """
    import verl
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from omegaconf import OmegaConf

    folder = Path(str(verl.__file__)).parent / "trainer" / "config"
    with initialize_config_dir(config_dir=str(folder), version_base=None):
        config = hydra_compose(config_name=trainer)
    known = cast("dict[str, JsonValue]", OmegaConf.to_container(config, resolve=False))
    check_keys(known, keys)
    for key, value in keys.items():
        OmegaConf.update(config, key.removeprefix(ADDED), value, force_add=True)
    missing = sorted(str(key) for key in OmegaConf.missing_keys(config))
    if missing:
        raise ConfigError(f"verl needs a value for {', '.join(missing)}; set it under 'verl'.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(OmegaConf.to_yaml(config, resolve=False), encoding="utf-8")
    return path


def _check_key(known: Mapping[str, JsonValue], key: str) -> None:
    at: JsonValue = dict(known)
    parts = key.split(".")
    for depth, part in enumerate(parts):
        if not isinstance(at, dict) or part not in at:
            raise ConfigError(_unknown(key, ".".join(parts[:depth]), part, at))
        at = at[part]


def _unknown(key: str, parent: str, part: str, at: JsonValue) -> str:
    where = f"under {parent!r}" if parent else "at the top"
    if not isinstance(at, dict) or not at:
        return (
            f"verl has no setting {key!r}: {parent!r} holds a value, and nothing stands below it. "
            f"Write {ADDED}{key} to add it all the same."
        )
    names = sorted(name for name in at if not name.startswith("_"))
    close = get_close_matches(part, names, n=3)
    allowed = ", ".join(close or names[:_SHOWN])
    more = "" if close or len(names) <= _SHOWN else f" and {len(names) - _SHOWN} more"
    return (
        f"verl has no setting {key!r}: {part!r} does not stand {where}; "
        f"{'close to it' if close else 'there are'}: {allowed}{more}. Correct it, or write "
        f"{ADDED}{key} to add it."
    )
