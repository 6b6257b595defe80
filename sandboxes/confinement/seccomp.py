"""Seccomp: the system calls a worker may still make. Everything else fails with `EPERM`.

The list holds what a single-threaded interpreter needs to compute, to read what is already open or
lies in a readable folder, to keep time and to end. It holds no socket, no new process or thread,
no other program, no signal to anyone, no change of limits, and nothing that writes to a file.
"""

import ctypes
import errno
import os
import struct

from sandboxes.confinement.system_calls import SECCOMP, control_process, machine

_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_FAIL = 0x00050000 | errno.EPERM
_LOAD, _IF_EQUAL, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_AT_NUMBER, _AT_ARCHITECTURE = 0, 4
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_READING_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK
# Duplicate, and read or set close-on-exec; not the owner of signals, leases or locks.
_FCNTL_COMMANDS = (0, 1, 2, 3, 1030)

# Name, number on x86_64, number on aarch64 (None where it has no such call).
_HARMLESS: tuple[tuple[str, int, int | None], ...] = (
    ("read", 0, 63),
    ("write", 1, 64),
    ("close", 3, 57),
    ("fstat", 5, 80),
    ("newfstatat", 262, 79),
    ("lseek", 8, 62),
    ("mmap", 9, 222),
    ("mprotect", 10, 226),
    ("munmap", 11, 215),
    ("mremap", 25, 216),
    ("madvise", 28, 233),
    ("brk", 12, 214),
    ("futex", 202, 98),
    ("rt_sigaction", 13, 134),
    ("rt_sigprocmask", 14, 135),
    ("rt_sigreturn", 15, 139),
    ("sigaltstack", 131, 132),
    ("setitimer", 38, 103),
    ("getitimer", 36, 102),
    ("clock_gettime", 228, 113),
    ("clock_getres", 229, 114),
    ("clock_nanosleep", 230, 115),
    ("nanosleep", 35, 101),
    ("gettimeofday", 96, 169),
    ("times", 100, 153),
    ("getrusage", 98, 165),
    ("pread64", 17, 67),
    ("readv", 19, 65),
    ("writev", 20, 66),
    ("getdents64", 217, 61),
    ("statx", 332, 291),
    ("faccessat", 269, 48),
    ("faccessat2", 439, 439),
    ("getcwd", 79, 17),
    ("dup", 32, 23),
    ("dup3", 292, 24),
    ("getpid", 39, 172),
    ("getppid", 110, 173),
    ("gettid", 186, 178),
    ("getuid", 102, 174),
    ("geteuid", 107, 175),
    ("getgid", 104, 176),
    ("getegid", 108, 177),
    ("sched_yield", 24, 124),
    ("sched_getaffinity", 204, 123),
    ("sysinfo", 99, 179),
    ("ppoll", 271, 73),
    ("pselect6", 270, 72),
    ("getrandom", 318, 278),
    ("restart_syscall", 219, 128),
    ("exit", 60, 93),
    ("exit_group", 231, 94),
    ("stat", 4, None),
    ("lstat", 6, None),
    ("access", 21, None),
    ("poll", 7, None),
    ("select", 23, None),
    ("alarm", 37, None),
    ("time", 201, None),
    ("dup2", 33, None),
    ("getdents", 78, None),
)
_OPEN, _OPENAT, _FCNTL = (
    {"x86_64": 2},
    {"x86_64": 257, "aarch64": 56},
    {"x86_64": 72, "aarch64": 25},
)


def filter_program() -> bytes:
    """Return the filter for this architecture, as the kernel reads it.

    Raises:
        OSError: If this architecture's call numbers are not known here.
    """
    name = machine()
    if name not in _ARCHITECTURES:
        known = ", ".join(sorted(_ARCHITECTURES))
        raise OSError(errno.ENOSYS, f"no list of system calls for {name}, only for {known}")
    program = [
        _step(_LOAD, _AT_ARCHITECTURE),
        _step(_IF_EQUAL, _ARCHITECTURES[name], 1, 0),
        _step(_RETURN, _KILL_PROCESS),
        _step(_LOAD, _AT_NUMBER),
    ]
    for _, intel, arm in _HARMLESS:
        number = intel if name == "x86_64" else arm
        if number is not None:
            program += [_step(_IF_EQUAL, number, 0, 1), _step(_RETURN, _ALLOW)]
    if name in _OPEN:
        program += _reading(_OPEN[name], argument=1)
    program += _reading(_OPENAT[name], argument=2)
    program += _one_of(_FCNTL[name], argument=1, values=_FCNTL_COMMANDS)
    return b"".join([*program, _step(_RETURN, _FAIL)])


def filter_program_if_any() -> bytes | None:
    """Return the filter, or None where this kernel takes none or the architecture is unknown."""
    try:
        control_process(SECCOMP, _MODE_FILTER)
    except OSError as error:
        if error.errno != errno.EFAULT:  # what a kernel with filters says of none
            return None
    return filter_program() if machine() in _ARCHITECTURES else None


def filter_calls(program: bytes) -> None:
    """Put this process under a filter; it must have given up new privileges before.

    Raises:
        OSError: If the kernel has no seccomp filters, or refuses this one.
    """
    instructions = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    control_process(SECCOMP, _MODE_FILTER, header)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _reading(number: int, argument: int) -> list[bytes]:
    """Allow a call that opens a file, when its flags say nothing but reading."""
    others = ~_READING_FLAGS & 0xFFFFFFFF
    return [
        _step(_IF_EQUAL, number, 0, 4),
        _step(_LOAD, _argument_at(argument)),
        _step(_IF_ANY_BIT, others, 0, 1),
        _step(_RETURN, _FAIL),
        _step(_RETURN, _ALLOW),
    ]


def _one_of(number: int, argument: int, values: tuple[int, ...]) -> list[bytes]:
    """Allow a call when an argument is one of some values."""
    choices = [
        step for value in values for step in (_step(_IF_EQUAL, value, 0, 1), _step(_RETURN, _ALLOW))
    ]
    body = [_step(_LOAD, _argument_at(argument)), *choices, _step(_RETURN, _FAIL)]
    return [_step(_IF_EQUAL, number, 0, len(body)), *body]


def _argument_at(index: int) -> int:
    return 16 + 8 * index  # the low half: both architectures are little-endian
