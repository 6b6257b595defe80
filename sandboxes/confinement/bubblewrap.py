"""Bubblewrap: a worker in namespaces of its own, for machines without Landlock.

The worker is a fresh interpreter that sees the interpreter, its libraries and this package, all
read-only, and nothing else: no network but its own loopback, no processes but its own, no `/proc`,
no `/tmp`. Run by the superuser, it becomes nobody before it reads a request.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from sandboxes.confinement.mechanism import ServerSettings, library_folders

_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")
_SYSTEM_FILES = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
)
_MODULE = "sandboxes.confinement.boxed_worker"


def boxed_command(settings: ServerSettings, *, trial: bool) -> list[str]:
    """Return the command of a worker in a box; it needs no environment.

    Raises:
        FileNotFoundError: If bubblewrap is not installed.
    """
    program = shutil.which("bwrap", path=os.defpath)
    if program is None:
        raise FileNotFoundError(f"no program 'bwrap' in {os.defpath}")
    command = [program, *_privileges(), "--die-with-parent", "--new-session", "--clearenv"]
    variables = {
        "PYTHONPATH": os.pathsep.join(map(str, settings.search_path)),
        "PYTHONHASHSEED": str(settings.hash_seed),
    }
    for name, value in variables.items():
        command += ["--setenv", name, value]
    shown = (*_interpreter(), *library_folders(), *_own_code(settings))
    system = [Path(path) for path in _SYSTEM_FILES]
    for folder in sorted({folder for path in (*shown, *system) for folder in path.parents}):
        command += ["--perms", "0755", "--dir", str(folder)]
    for path in shown:
        command += ["--ro-bind", str(path), str(path)]
    for path in system:
        command += ["--ro-bind-try", str(path), str(path)]
    command += ["--dev-bind", "/dev/null", "/dev/null"]
    command += ["--chdir", "/", "--remount-ro", "/"]
    command += [sys.executable, "-P", "-s", "-B", "-m", _MODULE, settings.model_dump_json()]
    return command + (["trial"] if trial else [])


def _privileges() -> list[str]:
    """Without the superuser's rights, a user namespace; with them, those to become nobody."""
    if os.geteuid() == 0:
        return [*_NAMESPACES, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return ["--unshare-user", *_NAMESPACES]


def _interpreter() -> list[Path]:
    """The files that the interpreter is found by, in a virtual environment or not."""
    base = Path(sys.base_prefix)
    library = sysconfig.get_config_var("LDLIBRARY")
    candidates = [
        Path(sys.executable),
        Path(sys.prefix) / "pyvenv.cfg",
        base / "bin" / f"python{sysconfig.get_python_version()}",
        base / "lib" / str(library),
    ]
    return [path for path in dict.fromkeys(candidates) if path.is_file()]


def _own_code(settings: ServerSettings) -> list[Path]:
    """The package that does the confining, and whatever else the host is searched in."""
    package = Path(__file__).parent.parent
    others = [path for path in settings.search_path if path != package.parent]
    return [package, *others]
