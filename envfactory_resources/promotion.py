"""Promotion: an accepted environment becomes a file of the pool, or of the reviewed tree."""

from pathlib import Path
from tempfile import TemporaryDirectory

from envfactory_assets.records.attempts import EnvironmentAttempt
from envfactory_assets.stages.attempts.candidates import cases_text
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import EnvironmentSource, cases_path, source_hash


def promote(pool: SandboxPool, attempt: EnvironmentAttempt, *, is_reviewed: bool = False) -> Path:
    """Write the files of an accepted environment and return where its code stands.

    In the pool it runs confined. A person who has read it may put it among the reviewed ones,
    whose code runs directly; its file in the pool goes then.

    Args:
        pool: The pool.
        attempt: The accepted attempt.
        is_reviewed: Whether a person has read the code.

    Raises:
        ConfigurationError: If the attempt was not accepted, or its name is taken.
    """
    if attempt.outcome != "accepted":
        raise ConfigurationError(
            f"{attempt.attempt_id} ended as {attempt.outcome!r}, and only accepted environments "
            f"become files: {attempt.reason}"
        )
    _require_free_name(pool, attempt)
    path = _written(_folder(pool, attempt, is_reviewed=is_reviewed), attempt)
    if is_reviewed:
        _remove(_folder(pool, attempt, is_reviewed=False) / path.name)
    return path


def demote(pool: SandboxPool, environment_id: str) -> Path:
    """Remove the files of an environment of the pool and return where its code stood.

    Its rows stay in the warehouse: promoting it again brings the files back.

    Raises:
        ConfigurationError: If the pool holds no such environment.
    """
    made_here = {source.environment_id: source for source in _made_here(pool)}
    if environment_id not in made_here:
        raise ConfigurationError(
            f"{environment_id!r} is no environment of the pool; there are "
            f"{sorted(made_here) or 'none'}. Reviewed ones are files of the checkout: remove them "
            "there."
        )
    path = made_here[environment_id].path
    _remove(path)
    return path


def is_promoted(pool: SandboxPool, attempt: EnvironmentAttempt) -> bool:
    """Return whether the files of an accepted environment stand somewhere in the pool."""
    return any(
        source.environment_id == attempt.environment_id
        and source.source_hash == attempt.source_hash
        for source in pool.discover().sources
    )


def _made_here(pool: SandboxPool) -> list[EnvironmentSource]:
    return [source for source in pool.discover().sources if source.origin != "shipped"]


def _folder(pool: SandboxPool, attempt: EnvironmentAttempt, *, is_reviewed: bool) -> Path:
    root = pool.shipped if is_reviewed else pool.root_of(attempt.origin)
    return root / attempt.domain


def _require_free_name(pool: SandboxPool, attempt: EnvironmentAttempt) -> None:
    name = attempt.environment_id.split(".")[1]
    for source in pool.discover().sources:
        is_other = source.environment_id != attempt.environment_id
        if source.name == name and (is_other or source.origin != attempt.origin):
            if source.source_hash == attempt.source_hash:
                continue
            raise ConfigurationError(
                f"{attempt.environment_id} cannot become a file: {source.environment_id} "
                f"({source.origin}, {source.path}) has its short name, which tools carry. Edit the "
                "proposal's name, or remove that file."
            )


def _written(folder: Path, attempt: EnvironmentAttempt) -> Path:
    """Write code and cases aside, check their hash, and put both in place, the code last."""
    name = f"{attempt.environment_id.split('.')[1]}.py"
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".promoting-") as aside:
        code = Path(aside) / name
        cases_path(code).write_text(cases_text(attempt.cases), encoding="utf-8")
        code.write_text(attempt.source, encoding="utf-8")
        if source_hash(code) != attempt.source_hash:
            raise ConfigurationError(
                f"{attempt.environment_id} has another hash as a file than when it was accepted; "
                "materialize environment_attempts again."
            )
        path = folder / name
        cases_path(code).replace(cases_path(path))
        return code.replace(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    cases_path(path).unlink(missing_ok=True)
