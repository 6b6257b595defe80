"""Landlock: which files a process may still open. Rules hold for good, also for a superuser."""

import os
import struct
from collections.abc import Iterable
from pathlib import Path

from sandboxes.confinement.system_calls import system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE = 1 << 2
_READ_FOLDER = 1 << 3
# How many kinds of access to files each version of the interface knows, from version 1 on.
_FILE_ACCESS_KINDS = (13, 14, 15, 15, 16)
_BIND_AND_CONNECT = 0b11  # TCP, from version 4 on
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11  # out of the domain, from version 6 on


def interface_version() -> int:
    """Return the version of the kernel's Landlock interface.

    Raises:
        OSError: If the kernel has none, or it is switched off.
    """
    return system_call(_CREATE_RULESET, None, 0, _VERSION)


def reading_only(folders: Iterable[Path]) -> int:
    """Return a rule set (a file descriptor) that allows to read these folders, and nothing else.

    Raises:
        OSError: If the kernel has no Landlock, or a folder cannot be opened.
    """
    version = interface_version()
    kinds = _FILE_ACCESS_KINDS[min(version, len(_FILE_ACCESS_KINDS)) - 1]
    handled = struct.pack(
        "=QQQ",
        (1 << kinds) - 1,
        _BIND_AND_CONNECT if version >= 4 else 0,
        _ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )
    ruleset = system_call(_CREATE_RULESET, handled, len(handled), 0)
    os.set_inheritable(ruleset, False)
    for folder in folders:
        descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = struct.pack("=Qi", _READ_FILE | _READ_FOLDER, descriptor)
            system_call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
        finally:
            os.close(descriptor)
    return ruleset


def restrict_to(ruleset: int) -> None:
    """Put this process under a rule set; it must have given up new privileges before.

    Raises:
        OSError: If the kernel refuses it.
    """
    system_call(_RESTRICT_SELF, ruleset, 0)
