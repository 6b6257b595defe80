"""System calls that Python has no function for, through the C library."""

import ctypes
import os
import platform
import struct

NO_NEW_PRIVILEGES = 38
DUMPABLE = 4
PARENT_DEATH_SIGNAL = 1
SECCOMP = 22
_CAPABILITY_BOUND_DROP = 24
_AMBIENT = 47
_AMBIENT_CLEAR_ALL = 4
_LAST_CAPABILITY = 63
_CAPABILITY_VERSION = 0x20080522
_CAPSET = {"x86_64": 126, "aarch64": 91}

_library = ctypes.CDLL(None, use_errno=True)
_library.syscall.restype = ctypes.c_long


def machine() -> str:
    """Return the processor architecture as the kernel names it."""
    return platform.machine()


def system_call(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call by number.

    Raises:
        OSError: If the kernel refuses it.
    """
    outcome: int = _library.syscall(ctypes.c_long(number), *map(_argument, arguments))
    if outcome < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return outcome


def control_process(option: int, *arguments: int | bytes) -> None:
    """Set an attribute of this process (`prctl`).

    Raises:
        OSError: If the kernel refuses it.
    """
    padded = (*arguments, 0, 0, 0, 0)[:4]
    outcome: int = _library.prctl(ctypes.c_int(option), *map(_argument, padded))
    if outcome < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def drop_capabilities() -> None:
    """Give up every capability, and where the process may, the right to ever get one back.

    Raises:
        OSError: If the kernel refuses to clear the present ones.
    """
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            control_process(_CAPABILITY_BOUND_DROP, capability)
        except OSError:  # not a capability of this kernel, or not ours to drop
            break
    control_process(_AMBIENT, _AMBIENT_CLEAR_ALL)
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    system_call(_CAPSET[machine()], header, bytes(24))


def _argument(value: int | bytes | None) -> ctypes.c_long | ctypes.c_char_p | None:
    if value is None:
        return None
    return ctypes.c_long(value) if isinstance(value, int) else ctypes.c_char_p(value)
