"""An execution environment of Hermes: commands run at a place of Talaria."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from talaria.errors import BadRequest, Denied, NotFound, TalariaError, Unavailable

if TYPE_CHECKING:
    from talaria import Place, Stream

POLL = 0.05  # seconds between two looks at whether the agent was interrupted
TIMED_OUT = 124
INTERRUPTED = 130
REFUSED = 126
NO_DIRECTORY = 126
FAILED = 1


def never() -> bool:
    """Hermes is not there to interrupt anything."""
    return False


def interrupt_check() -> Callable[[], bool]:
    """How Hermes says that the call of the current thread is to end."""
    try:
        from tools.interrupt import is_interrupted
    except ImportError:
        return never
    return is_interrupted


class _Reader(threading.Thread):
    """Takes the output while the caller's thread watches for interrupts."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(daemon=True, name="talaria-output")
        self._stream = stream
        self.pieces: list[str] = []
        self.error: TalariaError | None = None

    def run(self) -> None:
        try:
            for chunk in self._stream:
                self.pieces.append(chunk.data)
        except TalariaError as error:
            self.error = error


class TalariaEnvironment:
    """What Hermes calls an environment: `execute`, `cleanup`, and `cwd`, the live directory.

    `place` is a sandbox, a task or a client. `release` is called once, by `cleanup`.
    """

    def __init__(
        self,
        place: Place,
        *,
        cwd: str = "",
        timeout: float = 180,
        env: dict[str, str] | None = None,
        release: Callable[[], object] | None = None,
    ) -> None:
        self.place = place
        self.timeout = timeout
        self.env = dict(env or {})
        self._release = release
        self._session_cwd = ""  # where the session is, as far as is known here
        self.cwd = self._enter(cwd)

    def execute(
        self,
        command: str,
        cwd: str = "",
        *,
        timeout: float | None = None,
        stdin_data: str | None = None,
        **ignored: Any,
    ) -> dict[str, Any]:
        """Runs a command and returns `{"output", "returncode"}`. It raises only if nothing ran."""
        limit = timeout or self.timeout
        directory = cwd or self.cwd
        if directory != self._session_cwd:
            try:
                self._session_cwd = self.place.set_cwd(directory)
            except (BadRequest, NotFound) as error:
                return {"output": f"cd: {error}\n", "returncode": NO_DIRECTORY}
        stream = self.place.stream(
            command, timeout=limit, stdin=stdin_data, env=self.env, merge=True
        )
        return self._wait(stream, limit)

    def cleanup(self, **ignored: Any) -> None:
        """Gives back what the environment uses. Again: does nothing."""
        release, self._release = self._release, None
        if release is not None:
            with contextlib.suppress(TalariaError):  # Hermes ends; there is nobody to tell
                release()

    stop = cleanup

    def init_session(self) -> None:
        """Does nothing: a session begins with its first command."""

    def get_temp_dir(self) -> str:
        """Where Hermes puts its own files at the target."""
        return "/tmp"

    def _enter(self, cwd: str) -> str:
        """The first directory: the one that was asked for, or where the target begins."""
        if cwd:
            try:
                self._session_cwd = self.place.set_cwd(cwd)
            except (BadRequest, NotFound):
                self._session_cwd = self.place.cwd()
        else:
            self._session_cwd = self.place.cwd()
        return self._session_cwd

    def _wait(self, stream: Stream, limit: float) -> dict[str, Any]:
        interrupted = interrupt_check()
        reader = _Reader(stream)
        reader.start()
        try:
            while reader.is_alive():
                if interrupted():
                    stream.cancel()
                    break
                reader.join(POLL)
        except BaseException:  # Hermes is being ended: so is the command
            stream.cancel()
            reader.join()
            raise
        reader.join()
        output = "".join(reader.pieces)
        if reader.error is not None:
            return self._failed(reader.error, output)
        result = stream.result
        if result.cwd:
            self.cwd = self._session_cwd = result.cwd
        if result.interrupted:
            return {"output": output + "\n[Command interrupted]", "returncode": INTERRUPTED}
        if result.timed_out:
            notice = f"[Command timed out after {limit:g}s]"
            return {
                "output": f"{output}\n{notice}" if output else notice,
                "returncode": TIMED_OUT,
            }
        return {"output": output, "returncode": result.exit_code}

    def _failed(self, error: TalariaError, output: str) -> dict[str, Any]:
        """Hermes runs a command again after an exception: only what cannot have run may raise."""
        if isinstance(error, Denied):
            return {"output": output + error.message, "returncode": REFUSED}
        if isinstance(error, Unavailable):
            raise error
        return {"output": output + f"\n[{error.message}]", "returncode": FAILED}
