"""What a worker process does: confine itself, say that it is ready, answer one request at a time."""

import importlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sandboxes.confinement import landlock, seccomp, wire
from sandboxes.confinement.limits import Limits
from sandboxes.confinement.system_calls import (
    DUMPABLE,
    NO_NEW_PRIVILEGES,
    PARENT_DEATH_SIGNAL,
    control_process,
    drop_capabilities,
)
from sandboxes.confinement.wire import Message

Answer = Callable[[Message, Callable[[Message], Message]], Message]

LINK = 3
RULESET = 4
NOBODY = 65534
_ADDED_WITHOUT_PROC_BYTES = 256 << 20


def host_answer(host: str) -> Answer:
    """Import a host module, warm it up where it can be, and return what answers its requests.

    Raises:
        ImportError: If it cannot be imported, or has no `answer`.
    """
    module = importlib.import_module(host)
    warm_up: Callable[[], None] | None = getattr(module, "warm_up", None)
    if warm_up is not None:
        warm_up()
    answer: Answer | None = getattr(module, "answer", None)
    if answer is None:
        raise ImportError(f"the host module {host!r} has no function 'answer'")
    return answer


def confine(limits: Limits, *, ruleset: int | None, program: bytes | None, nobody: bool) -> None:
    """Confine this process for good; see `sandboxes.confinement.confinement` for what that means.

    Args:
        limits: What it may use.
        ruleset: The Landlock rule set; None where namespaces hide the files.
        program: The seccomp filter; None where namespaces do without.
        nobody: Whether a superuser becomes nobody.

    Raises:
        OSError: If the kernel refuses a step.
    """
    _prefer_when_memory_is_short()
    memory_bytes = _address_space_bytes() + limits.memory_bytes
    if nobody and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        control_process(PARENT_DEATH_SIGNAL, signal.SIGKILL)  # a new user clears it
    drop_capabilities()
    control_process(NO_NEW_PRIVILEGES, 1)
    control_process(DUMPABLE, 0)
    for kind, ceiling in _ceilings(limits, memory_bytes).items():
        resource.setrlimit(kind, ceiling)
    os.environ.clear()
    if ruleset is not None:
        landlock.restrict_to(ruleset)
        os.close(ruleset)
    if program is not None:
        seccomp.filter_calls(program)


def look_around() -> None:
    """Look whether the confinement holds.

    Raises:
        RuntimeError: If a network, a system file or a process can be had.
    """
    for what, attempt in (
        ("reach a network", _route_out),
        ("read /etc/passwd", lambda: os.close(os.open("/etc/passwd", os.O_RDONLY))),
        ("start a process", os.fork),
    ):
        try:
            attempt()
        except OSError:
            continue
        raise RuntimeError(f"a confined process could {what}")


def _route_out() -> None:
    """Choose a route to an address that stands for any other; sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.connect(("192.0.2.1", 9))


def tell_failure(error: BaseException, *, plain: bool) -> None:
    """Say why the process ends before it was ready."""
    text = f"{type(error).__name__}: {error}"
    os.write(
        LINK, text.encode() if plain else wire.frame(wire.FAULT, wire.encode(_described(error)))
    )


def serve(answer: Answer) -> None:
    """Answer requests until the other end closes, or the memory is used up."""
    _write(wire.READY, b"")
    try:
        while (message := _read()) is not None:
            _write(*_outcome(answer, message[1]))
    except MemoryError:
        _write(wire.NO_MEMORY, b"{}")


def _outcome(answer: Answer, request: bytes) -> tuple[bytes, bytes]:
    try:
        return wire.REPLY, wire.encode(answer(wire.decode(request), _ask_parent))
    except MemoryError:
        raise
    except BaseException as error:
        return wire.FAULT, wire.encode(_described(error))


def _described(error: BaseException) -> Message:
    text = str(error)[:1000].encode(errors="replace").decode()
    return {"type": type(error).__name__[:100], "message": text}


def _ask_parent(question: Message) -> Message:
    """Ask the process that asked us, while it waits for our reply."""
    _write(wire.QUESTION, wire.encode(question))
    message = _read()
    if message is None:
        sys.exit("the parent is gone")
    return wire.decode(message[1])


def _read() -> tuple[bytes, bytes] | None:
    header = _read_exactly(wire.HEADER.size)
    if header is None:
        return None
    kind, size = wire.HEADER.unpack(header)
    payload = _read_exactly(size)
    return None if payload is None else (kind, payload)


def _read_exactly(size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(LINK, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(kind: bytes, payload: bytes) -> None:
    rest = memoryview(wire.frame(kind, payload))
    while rest:
        rest = rest[os.write(LINK, rest) :]


def forget_signals() -> None:
    """Set back what the parent process did with signals."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _ceilings(limits: Limits, memory_bytes: int) -> dict[int, tuple[int, int]]:
    return {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_CPU: (limits.cpu_seconds, limits.cpu_seconds + 1),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
        resource.RLIMIT_NOFILE: (limits.open_files, limits.open_files),
        resource.RLIMIT_NPROC: (0, 0),
        resource.RLIMIT_AS: (memory_bytes, memory_bytes),
    }


def _prefer_when_memory_is_short() -> None:
    """Have the kernel kill this process first, where it lets us say so."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _address_space_bytes() -> int:
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        return int(pages) * resource.getpagesize()
    except OSError:
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return resident + _ADDED_WITHOUT_PROC_BYTES
