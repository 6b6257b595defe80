"""The process that workers are forked from: `python -P -s -m …fork_server`.

It holds nothing worth stealing: an empty environment, no file but `/dev/null` and the line to
its client, and the imported host module. It forks, kills and reaps, so that a process id is never
signalled after it was given to somebody else. It ends when its client does, and so do its workers.
"""

import gc
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn, cast

from sandboxes.confinement import landlock, seccomp, wire, worker_process
from sandboxes.confinement.bubblewrap import boxed_command
from sandboxes.confinement.mechanism import (
    Mechanism,
    ServerSettings,
    libraries_are_public,
    library_folders,
)
from sandboxes.confinement.system_calls import PARENT_DEATH_SIGNAL, control_process

ORDER_BYTES = 1 << 16
_FAILED = 70


class ForkServer:
    """Workers of one kind, started and ended as the client orders."""

    def __init__(self, control: socket.socket, settings: ServerSettings) -> None:
        """Serve the client at the other end of a socket."""
        self._control = control
        self._settings = settings
        self._process_id = os.getpid()
        self._pids: dict[int, int] = {}
        self._endings: dict[int, wire.Message] = {}
        self._started = 0
        self._answer: worker_process.Answer | None = None
        self._ruleset = -1
        self._program = b""
        self._nobody = libraries_are_public()
        self._deaths, self._wake = socket.socketpair()
        self._deaths.setblocking(False)
        self._wake.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)

    def run(self) -> None:
        """Prepare, say whether that went well, then follow orders until the client is gone."""
        failure = self._prepare()
        os.dup2(1, 2)  # `/dev/null`: nobody reads errors from here on
        self._tell(failure or {"ready": True})
        if failure is None:
            self._follow_orders()

    def _follow_orders(self) -> None:
        signal.signal(signal.SIGCHLD, _wake_up)
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        waiting.register(self._deaths, select.POLLIN)
        client_is_there = True
        while client_is_there:
            for descriptor, _ in waiting.poll():
                if descriptor == self._deaths.fileno():
                    self._reap()
                else:
                    client_is_there = self._follow_order()

    def end_all(self) -> None:
        """Kill and reap every worker."""
        for number in list(self._pids):
            self._end(number)

    def _prepare(self) -> wire.Message | None:
        """Find out whether workers can be confined, import the host; return what failed."""
        try:
            if self._settings.mechanism == Mechanism.LANDLOCK:
                self._program = seccomp.filter_program()
                self._ruleset = landlock.reading_only(library_folders())
            self._try()
        except (OSError, RuntimeError) as error:
            return {"error": "mechanism", "message": str(error)}
        host = self._settings.host
        if host is not None and self._settings.mechanism == Mechanism.LANDLOCK:
            try:
                self._answer = worker_process.host_answer(host)
            except Exception as error:  # the client raises it
                reason = f"{type(error).__name__}: {error}"[:1000]
                return {"error": "host", "message": f"Host module {host!r}: {reason}"}
        gc.collect()
        gc.freeze()
        return None

    def _try(self) -> None:
        """Start a worker that does nothing but look whether it is confined.

        Raises:
            RuntimeError: If it could not be confined, or is not.
        """
        here, there = socket.socketpair()
        with here, there:
            pid = self._fork(there, trial=True)
            there.close()
            said = here.makefile("rb").read()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status != 0 or said:
            reason = said.decode(errors="replace").strip() or f"exit status {status}"
            raise RuntimeError(reason)

    def _follow_order(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._control, ORDER_BYTES, 1)
        if not data:
            return False
        order = wire.decode(data)
        if order["order"] == "start":
            with socket.socket(fileno=descriptors[0]) as link:
                self._tell(self._start(link))
        else:
            patience = cast("float", order["patience_seconds"])
            self._tell(self._end(cast("int", order["worker"]), patience))
        return True

    def _start(self, link: socket.socket) -> wire.Message:
        try:
            pid = self._fork(link)
        except OSError as error:  # no process to be had at the moment
            return {"error": str(error)}
        self._started += 1
        self._pids[self._started] = pid
        return {"worker": self._started}

    def _fork(self, link: socket.socket, *, trial: bool = False) -> int:
        pid = os.fork()
        if pid == 0:
            self._become_worker(link, trial=trial)
        return pid

    def _become_worker(self, link: socket.socket, *, trial: bool) -> NoReturn:
        status = _FAILED
        try:
            self._leave_server(link)
            if self._settings.mechanism == Mechanism.BUBBLEWRAP:
                if trial:  # what bubblewrap says is why it does not work
                    os.dup2(worker_process.LINK, 2)
                command = boxed_command(self._settings, trial=trial)
                os.execve(command[0], command, {})
            worker_process.confine(
                self._settings.limits,
                ruleset=self._ruleset,
                program=self._program,
                nobody=self._nobody,
            )
            if trial:
                worker_process.look_around()
            elif self._answer is not None:
                worker_process.serve(self._answer)
            status = 0
        except BaseException as error:
            worker_process.tell_failure(error, plain=trial)
        finally:
            os._exit(status)

    def _leave_server(self, link: socket.socket) -> None:
        """Keep one end of the link as the only descriptor, and nothing of the server's."""
        self._control.detach()
        if self._ruleset >= 0:
            self._ruleset = os.dup2(self._ruleset, worker_process.RULESET, inheritable=False)
        os.dup2(link.detach(), worker_process.LINK)
        highest = worker_process.LINK if self._ruleset < 0 else worker_process.RULESET
        os.closerange(highest + 1, os.sysconf("SC_OPEN_MAX"))
        worker_process.forget_signals()
        os.setsid()
        control_process(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != self._process_id:
            os._exit(_FAILED)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._deaths.recv(4096)
        numbers = {pid: number for number, pid in self._pids.items()}
        while self._pids:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            self._note_ending(numbers[pid], status, usage.ru_utime + usage.ru_stime)

    def _end(self, number: int, patience_seconds: float = 0.0) -> wire.Message:
        """Kill and reap a worker, after a little time in which it may end by itself."""
        until = time.monotonic() + patience_seconds
        while number in self._pids and (left := until - time.monotonic()) > 0:
            select.select([self._deaths], [], [], left)
            self._reap()
        was_killed = number in self._pids
        if was_killed:
            pid = self._pids[number]
            os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
            self._note_ending(number, status, usage.ru_utime + usage.ru_stime)
        return {**self._endings.pop(number), "was_killed": was_killed}

    def _note_ending(self, number: int, status: int, cpu_seconds: float) -> None:
        del self._pids[number]
        code = os.waitstatus_to_exitcode(status)
        self._endings[number] = {"status": code, "cpu_seconds": cpu_seconds}

    def _tell(self, message: wire.Message) -> None:
        self._control.send(wire.encode(message)[:ORDER_BYTES])


def _wake_up(number: int, frame: FrameType | None) -> None:
    """Do nothing: the signal's number is written to the wake-up descriptor, which is polled."""
    del number, frame


def main() -> None:
    """Serve the client whose socket and settings stand in the arguments."""
    control = socket.socket(fileno=int(sys.argv[1]))
    server = ForkServer(control, ServerSettings.model_validate_json(sys.argv[2]))
    try:
        server.run()
    finally:
        server.end_all()


if __name__ == "__main__":
    main()
