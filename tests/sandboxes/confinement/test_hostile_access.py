"""Hostile code that reaches for what is outside of its worker: each way is tried and fails."""

import os
import platform
import socket
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]

# Number on x86_64 and aarch64.
SYSTEM_CALLS = {
    "accept4": (288, 242),
    "add_key": (248, 217),
    "bind": (49, 200),
    "bpf": (321, 280),
    "chdir": (80, 49),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "connect": (42, 203),
    "eventfd2": (290, 19),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fallocate": (285, 47),
    "fchmodat": (268, 53),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "kcmp": (312, 272),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "landlock_create_ruleset": (444, 444),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mkdirat": (258, 34),
    "mount": (165, 40),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "openat2": (437, 437),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "reboot": (169, 142),
    "recvmsg": (47, 212),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "seccomp": (317, 277),
    "sendmsg": (46, 211),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "setresuid": (117, 147),
    "setsid": (112, 157),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "swapon": (167, 224),
    "symlinkat": (266, 36),
    "tgkill": (234, 131),
    "timer_create": (222, 107),
    "tkill": (200, 130),
    "truncate": (76, 45),
    "unlinkat": (263, 35),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
}

SOCKETS = """
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
    attempt(socket.socket, family)
attempt(socket.socketpair)
attempt(socket.create_connection, ("127.0.0.1", port), 1)
attempt(socket.create_server, ("127.0.0.1", 0))

def connect(address):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(address)

attempt(connect, "\\0" + abstract)
attempt(connect, path)
"""

READS = """
def read(path):
    with open(path, "rb") as file:
        file.read(1)

def read_below(folder, name):
    folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    os.close(os.open(name, os.O_RDONLY, dir_fd=folder))

def read_by_number(path):
    return system_call(OPENAT, -100, path.encode(), os.O_RDONLY, 0)

for path in paths:
    attempt(read, path)
    attempt(read_by_number, path)
    attempt(read_below, os.path.dirname(path), os.path.basename(path))
    attempt(os.open, path, os.O_PATH)
    attempt(os.readlink, path)
for folder in folders:
    attempt(os.listdir, folder)
    attempt(os.scandir, folder)
"""

WRITES = """
def write(path):
    with open(path, "wb") as file:
        file.write(b"x" * (1 << 20))

for folder in folders:
    path = os.path.join(folder, name)
    attempt(write, path)
    attempt(os.open, folder, os.O_TMPFILE | os.O_RDWR)
    attempt(os.mkdir, path)
    attempt(os.mkfifo, path)
    attempt(os.symlink, "/", path)
    attempt(os.link, kept, path)
    attempt(os.rename, kept, path)
attempt(os.unlink, kept)
attempt(os.truncate, kept, 0)
attempt(os.open, kept, os.O_RDONLY | os.O_TRUNC)
attempt(os.chmod, kept, 0o777)
attempt(os.chown, kept, 1, 1)
attempt(os.utime, kept)
attempt(os.setxattr, kept, "user.x", b"x")
attempt(os.memfd_create, "x")
attempt(os.posix_fallocate, 1, 0, 1 << 30)
"""

PROCESSES = """
import subprocess, _thread

def fork():
    if os.fork() == 0:
        os._exit(0)

attempt(fork)
attempt(os.forkpty)
attempt(_thread.start_new_thread, print, ())
attempt(subprocess.Popen, ["/bin/sh", "-c", "true"])
attempt(os.posix_spawn, "/bin/sh", ["sh"], {})
attempt(os.execv, "/bin/sh", ["sh", "-c", "exit 0"])
attempt(os.execv, sys.executable, [sys.executable, "-c", ""])
attempt(lambda: -os.system("true"))
"""

SIGNALS = """
import fcntl, signal

# Signal 0 asks for the right to signal, and sends nothing.
for target in (parent, os.getppid(), 1, 0, -1):
    attempt(os.kill, target, 0)
attempt(os.killpg, parent, 0)
attempt(os.pidfd_open, os.getpid())
attempt(signal.pthread_kill, threading.get_ident(), 0)
attempt(fcntl.fcntl, 3, fcntl.F_SETOWN, parent)
attempt(fcntl.fcntl, 3, fcntl.F_SETFL, os.O_ASYNC)
"""

LIMITS = """
import resource

for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    attempt(resource.setrlimit, kind, (-1, -1))
    attempt(resource.setrlimit, kind, (1 << 40, 1 << 40))
attempt(os.nice, -1)
attempt(os.setuid, 0)
attempt(os.setgroups, [0])
attempt(os.sched_setaffinity, 0, {0})
"""


def tries(worker, code, **given):
    """Run code that tries things, and return those that it could do."""
    code = "import socket, sys, threading\n" + code
    return worker.ask({"code": code, "given": given})["successes"]


def test_no_socket_of_any_kind_can_be_had(worker, tmp_path):
    abstract = f"envfactory-test-{os.getpid()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as loopback,
        socket.socket(socket.AF_UNIX) as hidden,
        socket.socket(socket.AF_UNIX) as named,
    ):
        hidden.bind(f"\0{abstract}")
        named.bind(str(tmp_path / "socket"))
        hidden.listen()
        named.listen()
        port, path = loopback.getsockname()[1], str(tmp_path / "socket")
        assert tries(worker, SOCKETS, port=port, abstract=abstract, path=path) == []


def test_no_file_outside_of_the_libraries_can_be_read(worker, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a key")
    paths = [
        "/etc/passwd",
        "/etc/shadow",
        "/etc/hostname",
        str(Path.home() / ".profile"),
        str(REPOSITORY / "README.md"),
        str(REPOSITORY / ".git" / "config"),
        str(secret),
        f"/proc/{os.getpid()}/environ",
        f"/proc/{os.getpid()}/mem",
        "/proc/self/environ",
        "/proc/self/mem",
        "/proc/self/root/etc/passwd",
        "/dev/urandom",
    ]
    folders = ["/proc", str(REPOSITORY / "docs"), str(tmp_path), "/sys", "/dev/shm"]
    # Where the libraries lie below it, their folder is there, empty but for them.
    folders += [] if Path(sys.prefix).is_relative_to("/tmp") else ["/tmp"]
    number = 257 if platform.machine() == "x86_64" else 56
    assert tries(worker, READS, paths=paths, folders=folders, OPENAT=number) == []


def test_nothing_can_be_written_anywhere(worker, tmp_path):
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    name = f"envfactory-test-{os.getpid()}"
    folders = [
        "/tmp",
        "/var/tmp",
        "/dev/shm",
        ".",
        str(tmp_path),
        str(REPOSITORY),
        str(Path(os.__file__).parent),
    ]
    assert tries(worker, WRITES, folders=folders, name=name, kept=str(kept)) == []
    assert kept.read_text() == "kept"
    assert not any((Path(folder) / name).exists() for folder in folders)


def test_no_process_thread_or_program_can_be_started(worker):
    assert tries(worker, PROCESSES) == []


def test_nobody_can_be_signalled(worker):
    assert tries(worker, SIGNALS, parent=os.getpid()) == []


def test_limits_and_rights_cannot_be_raised_again(worker):
    assert tries(worker, LIMITS) == []


@pytest.mark.parametrize("name", sorted(SYSTEM_CALLS))
def test_a_system_call_by_number_is_refused(confinement, shared_worker, name):
    number = SYSTEM_CALLS[name][platform.machine() != "x86_64"]
    reply = shared_worker.ask({"code": f"result = system_call({number}, 0, 0, 0, 0, 0)"})
    assert reply["result"] == -1  # EPERM


def test_the_environment_of_the_parent_does_not_reach_the_worker(
    monkeypatch, make_confinement, mechanism
):
    monkeypatch.setenv("SECRET_KEY", "a key")
    worker = make_confinement(mechanism).start()
    assert worker.ask({"code": "result = sorted(os.environ)"})["result"] == []
    assert worker.ask({"code": "result = bool(ctypes.CDLL(None).getenv(b'SECRET_KEY'))"}) == {
        "result": False,
        "successes": [],
    }


def test_the_worker_holds_no_descriptor_but_its_line(worker):
    code = """
result = []
for number in range(64):
    try:
        os.fstat(number)
    except OSError:
        continue
    result.append(number)
"""
    assert worker.ask({"code": code})["result"] == [0, 1, 2, 3]


@pytest.fixture(scope="module")
def shared_worker(confinement):
    worker = confinement.start()
    yield worker
    worker.close()
