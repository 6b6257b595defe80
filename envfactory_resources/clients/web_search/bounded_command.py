"""Running a command that may hang, flood or fail: bounded in time and output, without a shell.

The command is the user's own and runs with the rights and variables of this process, since it may
need a key of its own. What it protects: nothing that it is given can become an option or a second
command. What it does not: what the command itself does.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, cast

from envfactory_resources.clients.web_search.errors import SearchFailedError

_CHUNK_BYTES = 1 << 16
_KEPT_ERROR_BYTES = 300
_LEAST_WAIT_SECONDS = 0.1


def run_bounded(command: Sequence[str], *, timeout_seconds: float, max_bytes: int) -> str:
    """Run a command and return what it wrote to standard output.

    Args:
        command: The program and its arguments.
        timeout_seconds: It is killed, with its children, when it takes longer.
        max_bytes: It is killed when it writes more.

    Raises:
        SearchFailedError: If it does not start, fails, takes too long or writes too much.
    """
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A group of its own, so that its children can be ended with it.
            start_new_session=True,
        )
    # A null byte in an argument is a ValueError.
    except (OSError, ValueError) as error:
        raise SearchFailedError(
            f"Search command {command[0]!r} does not start: {error}. Correct the configured "
            "command; it is a list of program and arguments, not a shell line."
        ) from error
    with process:
        try:
            output, complaint = _read_pipes(process, command[0], timeout_seconds, max_bytes)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        said = complaint.decode(errors="replace").strip() or "nothing"
        raise SearchFailedError(
            f"Search command {command[0]!r} ended with status {process.returncode} and said "
            f"{said!r}. Try it by hand."
        )
    return output.decode(errors="replace")


def _read_pipes(
    process: "subprocess.Popen[bytes]", name: str, timeout_seconds: float, max_bytes: int
) -> tuple[bytes, bytes]:
    deadline = time.monotonic() + timeout_seconds
    output, complaint = bytearray(), bytearray()
    with selectors.DefaultSelector() as pipes:
        pipes.register(cast("IO[bytes]", process.stdout), selectors.EVENT_READ, output)
        pipes.register(cast("IO[bytes]", process.stderr), selectors.EVENT_READ, complaint)
        while pipes.get_map():
            ready = pipes.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise SearchFailedError(_too_slow(name, timeout_seconds))
            for key, _ in ready:
                _take(key, pipes)
            del complaint[:-_KEPT_ERROR_BYTES]
            if len(output) > max_bytes:
                raise SearchFailedError(
                    f"Search command {name!r} wrote more than {max_bytes} bytes and was ended. "
                    "Let it return less."
                )
    try:
        process.wait(max(_LEAST_WAIT_SECONDS, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise SearchFailedError(_too_slow(name, timeout_seconds)) from error
    return bytes(output), bytes(complaint)


def _take(key: selectors.SelectorKey, pipes: selectors.BaseSelector) -> None:
    chunk = os.read(key.fd, _CHUNK_BYTES)
    kept = cast("bytearray", key.data)
    kept += chunk
    if not chunk:
        pipes.unregister(key.fileobj)


def _too_slow(name: str, timeout_seconds: float) -> str:
    return (
        f"Search command {name!r} took longer than {timeout_seconds:g} seconds and was ended. "
        "Raise the time limit, or use a faster search."
    )
