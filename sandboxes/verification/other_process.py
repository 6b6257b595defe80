"""Calls made again in fresh processes with other hash seeds: `python -m …other_process`.

The child reads a source and a `Script` from standard input and writes a list of digests to standard
output. It gets an empty environment, so nothing of the parent's (keys, paths, settings) reaches it.
It is no confinement: the code runs with the user's rights. Code that nobody has reviewed is run
elsewhere by `sandboxes.confinement.verification`.
"""

import hashlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from sandboxes.core.catalog import SHIPPED_ROOT, Catalog, EnvironmentSource
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import SandboxError
from sandboxes.verification.attempts import Attempt, Position, attempt_call
from sandboxes.verification.cases import scenario_text

HASH_SEEDS = ("1", "2")
_SECONDS = 60.0
_DIGESTS: TypeAdapter[list[str]] = TypeAdapter(list[str])


class ScriptCall(BaseModel):
    """A call to make on a state.

    Attributes:
        tool: Name of the tool, without the environment's.
        arguments: Its arguments.
        state: The state as JSON text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tool: str
    arguments: dict[str, JsonValue]
    state: str


class Script(BaseModel):
    """What the other process does.

    Attributes:
        environment_id: The environment.
        seeds: Seeds of the scenarios to draw.
        calls: The calls to make, each on its own state.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    environment_id: str
    seeds: tuple[int, ...]
    calls: tuple[ScriptCall, ...]

    @classmethod
    def of(cls, environment_id: str, seeds: Sequence[int], attempts: Sequence[Attempt]) -> "Script":
        """Write down attempts to be made again."""
        calls = tuple(
            ScriptCall(
                tool=attempt.tool.name,
                arguments=attempt.arguments,
                state=attempt.position.text.decode(),
            )
            for attempt in attempts
        )
        return cls(environment_id=environment_id, seeds=tuple(seeds), calls=calls)


RunElsewhere = Callable[[Script], list[list[str]]]


class OtherProcessError(SandboxError):
    """The other process did not come to an end as it should."""


def digests(texts: Sequence[bytes], attempts: Sequence[Attempt]) -> list[str]:
    """Return a digest of each scenario text and of what came of each call."""
    evidence = [attempt.evidence().encode() for attempt in attempts]
    return [hashlib.sha256(proof).hexdigest() for proof in (*texts, *evidence)]


def run_script(environment: type[AnyEnvironment], script: Script) -> list[str]:
    """Draw the scenarios, make the calls, and return the digests."""
    texts = [scenario_text(environment, script.environment_id, seed) for seed in script.seeds]
    attempts = [
        attempt_call(
            environment,
            Position(0, (), call.state.encode()),
            environment.methods[call.tool],
            call.arguments,
        )
        for call in script.calls
    ]
    return digests(texts, attempts)


def in_fresh_processes(source: EnvironmentSource) -> RunElsewhere:
    """Return what runs scripts of a reviewed environment in fresh processes."""
    return partial(_run_elsewhere, source)


def _run_elsewhere(source: EnvironmentSource, script: Script) -> list[list[str]]:
    """Run a script in one fresh process for each hash seed, side by side.

    Raises:
        OtherProcessError: If a process fails, or takes longer than a minute.
    """
    command = [sys.executable, "-P", "-m", "sandboxes.verification.other_process"]
    processes = [
        subprocess.Popen(
            command,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(SHIPPED_ROOT.parent)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for seed in HASH_SEEDS
    ]
    try:
        task = f"{source.model_dump_json()}\n{script.model_dump_json()}".encode()
        return [_digests(process, task) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def _digests(process: "subprocess.Popen[bytes]", task: bytes) -> list[str]:
    try:
        output, errors = process.communicate(task, timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise OtherProcessError(f"no end within {_SECONDS:.0f} s") from error
    if process.returncode != 0:
        last = errors.decode(errors="replace").strip().rsplit("\n", 1)[-1]
        raise OtherProcessError(f"exit status {process.returncode}: {last[:300]}")
    return _DIGESTS.validate_json(output)


def main() -> None:
    """Run the script on standard input."""
    source = EnvironmentSource.model_validate_json(sys.stdin.buffer.readline())
    script = Script.model_validate_json(sys.stdin.buffer.read())
    environment = Catalog([source]).load(source.environment_id)
    sys.stdout.buffer.write(_DIGESTS.dump_json(run_script(environment, script)))


if __name__ == "__main__":
    main()
