"""Configurations of the training jobs, and the rows of what they trained."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject, Record
from envfactory_assets.records.training import TrainedPolicy
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import unreviewed_roots

Algorithm = Literal["sft", "grpo"]


def write_rows(rows: Sequence[Record], path: Path) -> Path:
    """Write rows of a dataset as the JSON lines that the jobs read; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.writelines(row.model_dump_json() + "\n" for row in rows)
    partial.rename(path)
    return path


def job_config(
    output_folder: Path,
    rows_file: Path,
    seed: int,
    settings: Mapping[str, JsonValue],
    pool: Path | None = None,
) -> JsonObject:
    """Return what a job is told: the settings of the profile over what the platform knows.

    Args:
        output_folder: Where it writes.
        rows_file: What it reads.
        seed: Seed of its random choices.
        settings: What the profile says of the job.
        pool: Where generated and imported environments stand, for a job that opens sessions.
    """
    known: JsonObject = {
        "output_folder": str(output_folder),
        "rows_file": str(rows_file),
        "seed": seed,
    }
    roots = (
        [(root, origin) for root, origin in unreviewed_roots(pool) if root.is_dir()] if pool else []
    )
    if roots:
        known["environment_roots"] = [[str(root), origin] for root, origin in roots]
    return {**known, **settings}


def policy_name(algorithm: Algorithm, *inputs: JsonValue) -> str:
    """Return `<algorithm>-<hash>`: the same inputs name the same policy."""
    return f"{algorithm}-{content_hash(list(inputs))[:12]}"


def policy_row(
    name: str, algorithm: Algorithm, base_policy: str, folder: Path, home: Path
) -> TrainedPolicy:
    """Return the row of a finished training job, read from its output folder.

    Args:
        name: The policy's id.
        algorithm: What it was trained by.
        base_policy: What training started from.
        folder: The job's output folder.
        home: What the stored paths are relative to.
    """
    report = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    config = {
        key: value
        for key, value in report["config"].items()
        if not key.endswith(("file", "folder"))
    }
    return TrainedPolicy(
        policy_id=name,
        algorithm=algorithm,
        checkpoint=(folder / "policy").relative_to(home).as_posix(),
        base_policy=base_policy,
        config=cast("JsonObject", _without_paths(config, home)),
        metrics=tuple(read_metrics(folder)),
    )


def read_metrics(folder: Path) -> list[JsonObject]:
    """Return what a job measured, one object a logged train step."""
    path = folder / "metrics.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _without_paths(value: JsonValue, home: Path) -> JsonValue:
    """Return a value whose paths below the home are relative, so that equal jobs have equal rows."""
    if isinstance(value, str):
        return value.replace(f"{home}/", "")
    if isinstance(value, list):
        return [_without_paths(item, home) for item in value]
    if isinstance(value, dict):
        return {key: _without_paths(item, home) for key, item in value.items()}
    return value
