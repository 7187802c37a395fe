"""A link to a program on this machine: `talaria call --lines` as a child.

The child has a session of its own, so that Ctrl-C at a terminal reaches Python only, which then
cancels what it wants cancelled. When Python is gone, however it ended, the pipes close and the
program cancels everything and ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

from ._link import Link, Lost, Receive
from .errors import Unavailable

_READ = 256 * 1024
_ATOMIC = 4096  # PIPE_BUF
_GRACE = 5.0  # seconds for the program to end what runs
_TAIL = 4096


class LocalLink(Link):
    """A child process and its three pipes."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        receive: Receive,
        lost: Lost,
        argv: Sequence[str],
        env: Mapping[str, str | None] | None,
    ) -> None:
        super().__init__(loop, receive, lost)
        self._argv = list(argv)
        self._env = env
        self._lock = threading.Lock()
        self._backlog = bytearray()
        self._closed = False
        self._errors = b""  # the end of what it wrote to standard error
        self._child: subprocess.Popen[bytes] | None = None
        self._in = self._out = self._err = -1

    @property
    def pid(self) -> int:
        """The process id of the program."""
        return self._child.pid if self._child is not None else 0

    def open(self) -> None:
        try:
            child = subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=self._environment(),
            )
        except OSError as error:
            raise Unavailable(f"cannot start {self._argv[0]}: {error.strerror or error}") from None
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._child = child
        self._in, self._out, self._err = (
            child.stdin.fileno(),
            child.stdout.fileno(),
            child.stderr.fileno(),
        )
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self.loop.call_soon_threadsafe(self._watch)

    def write(self, data: bytes) -> None:
        with self._lock:
            if self._closed:
                return
            if self._backlog:
                self._backlog += data
                return
            # A pipe takes so few bytes at once or not at all: Ctrl-C cannot come in the middle.
            if len(data) > _ATOMIC or self._write_some(data) == 0:
                self._backlog += data
                self.loop.call_soon_threadsafe(self._watch_input)

    def end(self) -> None:
        child = self._child
        if child is None:
            return
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
            self._wait(child)
        try:
            self.loop.call_soon_threadsafe(self._close)
        except RuntimeError:  # the loop is closed
            self._close_descriptors()

    def finish(self, lines: Sequence[bytes]) -> None:
        subprocess.run(
            self._argv,
            input=b"".join(lines),  # its end is the end of the program, after the answers
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._environment(),
            start_new_session=True,
            timeout=2 * _GRACE,
            check=False,
        )

    def _environment(self) -> dict[str, str] | None:
        if self._env is None:
            return None
        return {k: v for k, v in {**os.environ, **self._env}.items() if v is not None}

    def abandon(self) -> None:
        self._closed = True
        self._lost = None
        self._close_descriptors()
        if self._child is not None:
            self._child.returncode = 0  # it is the parent's: nothing here waits for it

    def _wait(self, child: subprocess.Popen[bytes]) -> None:
        """Waits for the end. A loop that no longer runs reads nothing, so this does."""
        until = time.monotonic() + _GRACE
        while time.monotonic() < until:
            try:
                child.wait(0.05)
                return
            except subprocess.TimeoutExpired:
                if not self.loop.is_running():
                    self._discard()
        child.kill()
        child.wait()

    def _discard(self) -> None:
        for descriptor in (self._out, self._err):
            try:
                while os.read(descriptor, _READ):
                    pass
            except OSError:
                pass

    def _watch(self) -> None:
        if self._closed:
            return
        self.loop.add_reader(self._out, self._on_output)
        self.loop.add_reader(self._err, self._on_error_output)

    def _watch_input(self) -> None:
        if not self._closed:
            self.loop.add_writer(self._in, self._on_writable)

    def _on_output(self) -> None:
        try:
            data = os.read(self._out, _READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.receive(data)
        else:
            self._ended()

    def _on_error_output(self) -> None:
        try:
            data = os.read(self._err, _READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._errors = (self._errors + data)[-_TAIL:]
        else:
            self.loop.remove_reader(self._err)

    def _on_writable(self) -> None:
        with self._lock:
            written = self._write_some(self._backlog)
            del self._backlog[:written]
            if not self._backlog:
                self.loop.remove_writer(self._in)

    def _write_some(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self._in, data)
        except BlockingIOError:
            return 0
        except OSError:  # it is gone, which the end of its output reports
            return len(data)

    def _ended(self) -> None:
        """The output has ended, so the program has, or is about to."""
        self.loop.remove_reader(self._out)
        self._reap(time.monotonic() + 1.0)

    def _reap(self, until: float) -> None:
        child = self._child
        if child is None or self._closed:
            return
        if child.poll() is None:
            if time.monotonic() > until:
                child.kill()
            self.loop.call_later(0.005, self._reap, until)
            return
        self._on_last_errors()
        self._close()

    def _on_last_errors(self) -> None:
        try:
            while data := os.read(self._err, _READ):
                self._errors = (self._errors + data)[-_TAIL:]
        except OSError:
            pass

    def _close(self) -> None:
        if self._closed:
            return
        with self._lock:
            self._closed = True
            self._backlog.clear()
        for descriptor in (self._out, self._err):
            self.loop.remove_reader(descriptor)
        self.loop.remove_writer(self._in)
        self._close_descriptors()
        self.lose(self._reason())

    def _close_descriptors(self) -> None:
        child = self._child
        if child is None:
            return
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()

    def _reason(self) -> str:
        code = self._child.returncode if self._child is not None else None
        how = (
            f"was killed by signal {-code}"
            if code is not None and code < 0
            else f"ended with {code}"
        )
        words = self._errors.decode("utf-8", "replace").strip().splitlines()
        return f"the program {self._argv[0]} {how}" + (f": {words[-1][:500]}" if words else "")
