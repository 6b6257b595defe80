"""What happens on a kernel that lacks something. The calls are taken away in a process first."""

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
HERE = Path(__file__).parent
LANDLOCK = [444]
MOUNT = [165, 428] if platform.machine() == "x86_64" else [40, 428]

REPORT = """
from sandboxes.confinement.confinement import usable_mechanism
print(usable_mechanism())
"""
RUN = """
import json, sys
from pathlib import Path
from sandboxes.confinement.confinement import Confinement
code = '''
import socket, threading
def fork():
    if os.fork() == 0:
        os._exit(0)
attempt(fork)
attempt(threading.Thread(target=print).start)
attempt(socket.create_connection, ("127.0.0.1", port), 1)
attempt(open, path)
attempt(open, path, "w")
for folder in ("/", "/tmp", "/dev", "/dev/shm", "/usr/lib"):
    attempt(open, os.path.join(folder, "new"), "w")
    attempt(os.mkdir, os.path.join(folder, "new"))
attempt(open, "/etc/passwd")
attempt(os.listdir, "/proc")
attempt(os.kill, parent, 0)
attempt(os.execv, "/bin/sh", ["sh"])
attempt(os.setuid, 0)
'''
with Confinement("hostile_host", search_path=(Path(sys.argv[1]),)) as confinement:
    reply = confinement.start().ask({"code": code, "given": json.loads(sys.argv[2])})
    print(confinement.mechanism(), reply["successes"])
"""


def run_without(system_calls, program, *arguments):
    """Run a program on a kernel without some system calls; return status, output and errors."""
    numbers = ",".join(map(str, system_calls))
    command = [sys.executable, str(HERE / "kernel_without.py"), numbers, "-c", program, *arguments]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(REPOSITORY)}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def test_landlock_is_used_where_the_kernel_has_it(landlock):
    assert run_without([0x0FFFFFFF], REPORT)[1] == "landlock"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_bubblewrap_is_used_where_landlock_is_missing():
    assert run_without(LANDLOCK, REPORT)[1] == "bubblewrap"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_namespaces_alone_hold_files_network_and_processes(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a key")
    with socket.create_server(("127.0.0.1", 0)) as server:
        given = {"port": server.getsockname()[1], "path": str(secret), "parent": os.getpid()}
        status, output, errors = run_without([-1], RUN, str(HERE), json.dumps(given))
    assert (status, errors) == (0, "")
    assert output == "bubblewrap []"


def test_nothing_runs_where_neither_works():
    status, output, errors = run_without([*LANDLOCK, *MOUNT], RUN, str(HERE), "{}")
    assert status == 1
    assert output == ""
    assert errors.splitlines()[-1].startswith(
        "sandboxes.core.errors.ConfinementUnavailableError: Unreviewed code is not run: "
    )


def test_the_refusal_says_what_was_found_what_is_needed_and_what_to_do():
    errors = run_without([*LANDLOCK, *MOUNT], REPORT)[2].splitlines()[-1]
    for word in ("landlock: [Errno 38]", "bubblewrap: ", "Linux 5.13", "Install bubblewrap"):
        assert word in errors
