"""Landlock and seccomp, each by itself."""

import json
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sandboxes.confinement.landlock import interface_version
from sandboxes.core.errors import WorkerLostError

REPOSITORY = Path(__file__).parents[3]
HERE = Path(__file__).parent


def landlock_version():
    try:
        return interface_version()
    except OSError:
        return 0


def alone(mechanism, code, **given):
    """Run code under one mechanism; return its result and what it tried with success."""
    done = subprocess.run(
        [sys.executable, str(HERE / "alone.py"), mechanism, json.dumps(given), code],
        env={"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_landlock_keeps_files_closed(landlock, tmp_path):
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    code = """
for path in ("/etc/passwd", kept, readme, "/proc/self/environ"):
    attempt(open, path)
for path in (kept, "/tmp/envfactory-new", "/dev/shm/envfactory-new"):
    attempt(open, path, "w")
attempt(os.unlink, kept)
attempt(os.mkdir, kept + "-folder")
attempt(os.listdir, "/")
attempt(os.execv, "/bin/true", ["true"])
"""
    given = {"kept": str(kept), "readme": str(REPOSITORY / "README.md")}
    assert alone("landlock", code, **given)["successes"] == []


def test_landlock_opens_the_libraries_for_reading_only(landlock):
    code = """
result = open(os.__file__).read(3)
attempt(open, os.__file__, "r+")
attempt(os.open, os.__file__, os.O_RDONLY | os.O_TRUNC)
"""
    assert alone("landlock", code) == {"result": 'r""', "successes": []}


@pytest.mark.skipif(landlock_version() < 4, reason="this kernel's Landlock knows no network")
def test_landlock_keeps_the_network_closed(landlock):
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = """
import socket
attempt(socket.create_connection, ("127.0.0.1", port), 1)
attempt(socket.create_server, ("127.0.0.1", 0))
"""
        assert alone("landlock", code, port=server.getsockname()[1])["successes"] == []


@pytest.mark.skipif(landlock_version() < 6, reason="this kernel's Landlock has no scopes")
def test_landlock_keeps_signals_and_abstract_sockets_inside(landlock):
    abstract = f"\0envfactory-test-{os.getpid()}"
    code = """
import fcntl, socket
def connect():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(abstract)
attempt(connect)
attempt(os.kill, parent, 0)
attempt(os.kill, os.getppid(), 0)
"""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(abstract)
        server.listen()
        given = {"abstract": abstract, "parent": os.getpid()}
        assert alone("landlock", code, **given)["successes"] == []


def test_seccomp_opens_files_for_reading_only(landlock, tmp_path):
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    code = """
result = open(kept).read()
attempt(open, kept, "w")
attempt(open, kept, "a")
attempt(open, kept, "r+")
attempt(open, kept + "-new", "x")
attempt(os.open, kept, os.O_RDONLY | os.O_TRUNC)
attempt(os.open, kept, os.O_PATH)
attempt(os.open, folder, os.O_TMPFILE | os.O_RDWR)
for number, place in opens:
    for flags in (1, 2, 0o100, 0o1000, 0o102, 1 << 33 | 2):
        arguments = [0] * place + [kept.encode(), flags, 0o600]
        arguments[0] = -100 if place else arguments[0]
        attempt(system_call, number, *arguments)
"""
    opens = [(257, 1), (2, 0)] if platform.machine() == "x86_64" else [(56, 1)]
    reply = alone("seccomp", code, kept=str(kept), folder=str(tmp_path), opens=opens)
    assert reply == {"result": "kept", "successes": []}
    assert kept.read_text() == "kept"


def test_seccomp_lets_no_descriptor_send_signals(landlock):
    code = """
import fcntl
for command in (fcntl.F_SETOWN, fcntl.F_SETSIG, fcntl.F_SETFL, fcntl.F_SETLEASE, 15, 1025, 1033):
    attempt(fcntl.fcntl, 0, command, 0)
result = fcntl.fcntl(0, fcntl.F_GETFD)
"""
    assert alone("seccomp", code) == {"result": 0, "successes": []}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86_64 has a second table")
def test_seccomp_refuses_the_second_table_of_system_calls(landlock):
    code = """
other_table = 1 << 30
result = [system_call(other_table | number, 0, 0, 0) for number in (1, 41, 57, 59)]
"""
    assert alone("seccomp", code)["result"] == [-1] * 4


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code for x86_64")
def test_seccomp_kills_who_calls_as_another_architecture(confinement):
    """`int 0x80` reaches the 32-bit table, whose numbers mean other calls."""
    code = """
import mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20; int 0x80; ret
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
result = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
"""
    worker = confinement.start()
    with pytest.raises(WorkerLostError, match=r"SIGSYS|SIGSEGV"):
        worker.ask({"code": code})
