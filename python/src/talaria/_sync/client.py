# Generated from _async/client.py by tools/generate_sync.py. Change that one.
"""The client."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .. import _clients, _log as log
from ..questions import Applied, Event
from ..types import Data, Json, Path, ProcessInfo, SandboxInfo, Time, megabytes
from .approvals import Approvals, Sudo
from .place import Place, Sandbox, Task
from .process import Process
from .runtime import THREADED, Channel, Inbox, Starting, in_thread, pause
from .tools import Toolbox

if TYPE_CHECKING:
    from .._connection import Connection

_END = 10.0  # seconds for commands to end when their client is closed
_QUESTIONS = (
    "approval_requested",
    "approval_answered",
    "approval_expired",
    "sudo_requested",
    "tool_called",
)


class Talaria(Place):
    """A client of a local program, or with `connect` of a gateway.

        with Talaria() as t:
            result = t.run("uname -r")

    The program is started by the first call, and again after it has died: sessions and background
    processes are still there. What `run`, `start` and `files` of the client itself use is a session
    of its own, which ends with the client.

    `program` is the path of `talaria`; otherwise TALARIA_PROGRAM, the program in this package or
    PATH decide. `home` is TALARIA_HOME of the program, `env` are more of its variables (None takes
    one away). `target` and `cwd` are where commands run, if they name no sandbox. `session_key`
    says who is asking, for approvals and events.
    """

    def __init__(
        self,
        *,
        program: Path | None = None,
        target: str | None = None,
        cwd: str | None = None,
        home: Path | None = None,
        env: Mapping[str, str | None] | None = None,
        session_key: str | None = None,
    ) -> None:
        connection = _clients.local(THREADED, program, target, cwd, home, env)
        self._begin(connection, session_key)

    @classmethod
    def connect(
        cls,
        url: str,
        token: str,
        *,
        ca: Path | None = None,
        session_key: str | None = None,
        timeout: float = 30.0,
    ) -> Talaria:
        """A client of a gateway: `https://host:port`, or `http://` on this machine.

        `ca` is a file of certificates to trust in place of the system's. `timeout` limits how long
        connecting takes. Commands need a sandbox there: `sandbox()`.
        """
        self = cls.__new__(cls)
        self._begin(_clients.gateway(THREADED, url, token, ca, timeout), session_key)
        return self

    def _begin(self, connection: Connection, session_key: str | None) -> None:
        channel = Channel(connection)
        self.approvals = Approvals(channel, session_key)
        """Questions whether a command may run."""
        self.sudo = Sudo(channel, session_key)
        """Passwords of sudo."""
        self.settings = Settings(channel)
        """Settings of the program, changed while it runs."""
        super().__init__(channel, Toolbox(channel), self._own_task(connection), session_key)
        connection.after_fork = weakref.WeakMethod(self._after_fork)

    def _after_fork(self) -> None:
        """The child of a fork has a session of its own."""
        self._where.update(self._own_task(self._channel.connection))
        self._toolbox.forget()

    @staticmethod
    def _own_task(connection: Connection) -> dict[str, str]:
        name = "py-" + os.urandom(8).hex()
        where = {"task": name}
        connection.own_task(name)
        return where

    def hello(self) -> Json:
        """Version, methods and target of the program or gateway."""
        params = {"protocol": 1, "client": _clients.name()}
        return self._channel.call("hello", params)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Json:
        """Calls a method of the protocol (docs/reference/json-lines.md)."""
        return self._channel.tool({"method": method, "params": dict(params or {})})

    def task(self, name: str, *, session_key: str | None = None) -> Task:
        """The session of a task at the configured target. It is made by its first command."""
        key = self._session_key if session_key is None else session_key
        return Task(self._channel, self._toolbox, {"task": name}, key)

    def sandbox(
        self,
        target: str | None = None,
        *,
        image: str | None = None,
        cpus: float | None = None,
        memory: int | str | None = None,
        disk: int | str | None = None,
        ttl: Time | None = None,
        idle: Time | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        files: Mapping[str, Data | Path] | None = None,
        name: str | None = None,
        persistent: bool | None = None,
        key: str | None = None,
        keep: bool = False,
    ) -> Sandbox:
        """Makes a sandbox: `await` it, or `with`.

        `target` is `docker`, `local`, ...; absent: as configured. `memory` and `disk` are megabytes
        or texts (`"2g"`). It is removed after `ttl`, after `idle` without a command, by `close()`,
        and at the latest when its client or the interpreter ends, unless `keep`. `files` are put
        into it: paths to content, or to a `pathlib.Path` of this machine. The same `key` gives the
        same sandbox.
        """
        remote = self._channel.connection.remote  # a gateway keeps no variables: we do
        params: Json = {
            "target": target,
            "image": image,
            "cpu": cpus,
            "memory_mb": megabytes(memory, "memory"),
            "disk_mb": megabytes(disk, "disk"),
            "ttl": ttl,
            "idle": idle,
            "cwd": cwd,
            "env": dict(env) if env and not remote else None,
            "name": name,
            "persistent": persistent,
            "key": key,
        }
        return Starting(self._make_sandbox(params, files or {}, keep, env if remote else None))

    def find_sandbox(self, id: str) -> Sandbox:
        """The sandbox of this id, also one of another program. Raises NotFound."""
        answer = self._channel.call("sandboxes.get", {"sandbox": id})
        return self._sandbox(SandboxInfo.from_wire(answer["sandbox"]))

    def sandboxes(self) -> list[Sandbox]:
        """All sandboxes of the home, or at a gateway of the user."""
        answer = self._channel.call("sandboxes.list", {})
        return [self._sandbox(SandboxInfo.from_wire(one)) for one in answer["sandboxes"]]

    def process(self, id: str) -> Process:
        """The background process of this id, whoever started it. Raises NotFound."""
        answer = self._channel.call("processes.get", {"process": id})
        return Process(self._channel, ProcessInfo.from_wire(answer["process"]))

    def events(
        self, *, consumer: str | None = None, start: str | None = None, manual: bool = False
    ) -> Events:
        """What happens to background processes, as it comes: iterate over it.

        `consumer` is the name under which the home remembers what was delivered, `start` `kept`
        (first what this consumer has not had) or `now`. With `manual`, `Events.ack` decides
        what was delivered.
        """
        params: Json = {
            "consumer": consumer,
            "session_key": self._session_key,
            "from": start,
            "ack": "manual" if manual else None,
        }
        return Events(self._channel, {k: v for k, v in params.items() if v is not None})

    def redact(self, text: str) -> str:
        """The text with its secrets masked."""
        return (self._channel.call("text.redact", {"text": text}))["text"]

    def strip(self, text: str) -> str:
        """The text without escape sequences of terminals."""
        return (self._channel.call("text.strip", {"text": text}))["text"]

    def close(self) -> None:
        """Ends the session of the client, removes its sandboxes, and ends the program. Commands
        under way are ended. Again: does nothing."""
        connection = self._channel.connection
        if connection.closed:
            return
        if not connection.is_usable():  # its loop has ended
            in_thread(connection.close_at_exit)
            return
        connection.cancel_all()
        until = time.monotonic() + _END
        while connection.busy and time.monotonic() < until:
            pause(0.005)
        for body in connection.take_leftovers():
            try:
                self._channel.tool(body)
            except Exception as error:
                log.warning("close: %s: %s", body.get("method"), error)
        self._channel.close()

    def __enter__(self) -> Talaria:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _sandbox(self, info: SandboxInfo, env: Mapping[str, str] | None = None) -> Sandbox:
        return Sandbox(self._channel, self._toolbox, self._session_key, info, env)

    def _make_sandbox(
        self,
        params: Json,
        files: Mapping[str, Data | Path],
        keep: bool,
        env: Mapping[str, str] | None,
    ) -> Sandbox:
        answer = self._channel.call("sandboxes.create", params)
        sandbox = self._sandbox(SandboxInfo.from_wire(answer["sandbox"]), env)
        remove: Json = {"method": "sandboxes.remove", "params": {"sandbox": sandbox.id}}
        if not keep:
            self._channel.connection.leftovers[sandbox.id] = [remove]
        try:
            for path, content in files.items():
                if isinstance(content, (str, bytes)):
                    sandbox.files.write(path, content)
                else:
                    sandbox.files.upload(content, path)
        except BaseException:
            sandbox.close()
            raise
        return sandbox


class Settings:
    """Settings of the program, changed while it runs (docs/reference/configuration.md)."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def get(self, *names: str) -> dict[str, Any]:
        """Their values, or of all settings. Secrets are masked."""
        answer = self._channel.call("settings.get", {"names": list(names) or None})
        return answer["settings"]

    def set(self, settings: Mapping[str, Any]) -> Applied:
        """Sets them; None takes one back. Says which took effect at once."""
        params = {"settings": dict(settings)}
        answer = self._channel.tool({"method": "settings.set", "params": params})
        later: Sequence[Mapping[str, str]] = answer.get("later") or ()
        return Applied(
            applied=tuple(answer.get("applied") or ()),
            later={one["name"]: one.get("reason") or "" for one in later},
        )


class Events:
    """Events, as they come. Continues after the program died and was started again."""

    def __init__(self, channel: Channel, params: Json) -> None:
        self._channel = channel
        self._params = params
        self._inbox: Inbox[Event] = Inbox()
        self._name = f"events {params.get('consumer')}"
        self._stop: Callable[[], None] | None = None
        self._closed = False

    def next(self, timeout: float | None = None) -> Event:
        """The next event. Raises TimeoutError."""
        if self._stop is None and not self._closed:
            connection = self._channel.connection
            self._stop = connection.listen(self._on_event)
            self._channel.call("events.subscribe", self._params)
            connection.keep(self._name, {"method": "events.subscribe", "params": self._params})
        return self._inbox.get(timeout)

    def ack(self, event: Event) -> None:
        """This event and those before it were delivered."""
        params = {"consumer": self._params.get("consumer"), "id": event.id}
        self._channel.call("events.ack", params)

    def close(self) -> None:
        """Ends the subscription. What was delivered stays remembered."""
        stop, self._stop = self._stop, None
        self._closed = True
        if stop is not None:
            stop()
            self._channel.connection.keep(self._name, None)
            if not self._channel.connection.closed:
                params = {"consumer": self._params.get("consumer")}
                self._channel.call("events.unsubscribe", params)

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        return self.next()

    def __enter__(self) -> Events:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _on_event(self, event: Json) -> None:
        kind = event.get("type")
        consumer = event.get("consumer")
        if consumer is not None and consumer != (self._params.get("consumer") or "default"):
            return
        if kind not in _QUESTIONS:
            self._inbox.put(Event.from_wire(event))
