"""Over `tools.process_registry`: background processes.

They are those of Talaria: they outlive Hermes, and the registry keeps nothing of its own but the
notices that Hermes has not fetched yet.
"""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass, field
from typing import Any

from talaria import Event, Events, Process, ProcessInfo
from talaria.errors import ConnectionLost, NotFound, TalariaError

from . import connection, questions

CONSUMER = "hermes"
NOTICES = (
    "completion",
    "watch_match",
    "watch_disabled",
    "watch_overflow_tripped",
    "watch_overflow_released",
)
ROUTES = ("platform", "chat_id", "user_id", "user_name", "thread_id", "message_id")


def names(module: str) -> list[str]:
    """What is laid over the module."""
    return ["ProcessRegistry", "ProcessSession", "process_registry"]


@dataclass
class ProcessSession:
    """What is known about a background process."""

    id: str
    command: str
    task_id: str = ""
    session_key: str = ""
    pid: int | None = None
    cwd: str | None = None
    started_at: float = 0.0
    exited: bool = False
    exit_code: int | None = None
    output_buffer: str = ""
    detached: bool = False
    pid_scope: str = "host"
    watcher_platform: str = ""
    watcher_chat_id: str = ""
    watcher_user_id: str = ""
    watcher_user_name: str = ""
    watcher_thread_id: str = ""
    watcher_message_id: str = ""
    watcher_interval: int = 0
    notify_on_complete: bool = False
    watch_patterns: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, info: ProcessInfo) -> ProcessSession:
        """The session for a process of Talaria."""
        return cls(
            id=info.id,
            command=info.command,
            task_id=info.task,
            session_key=info.session_key or "",
            pid=info.pid,
            cwd=info.cwd,
            started_at=info.started,
            exited=not info.running,
            exit_code=info.exit_code,
            output_buffer=info.tail,
            pid_scope="host" if info.target == "local" else "sandbox",
            notify_on_complete=info.notify,
            watch_patterns=list(info.watch),
        )


class ProcessRegistry:
    """The background processes of the home."""

    def __init__(self) -> None:
        self.pending_watchers: list[dict[str, Any]] = []
        self.completion_queue: queue.Queue[dict[str, Any]] = queue.Queue()
        self._consumed: set[str] = set()
        self._lock = threading.Lock()
        self._events: Events | None = None

    # Starting

    def spawn_local(
        self,
        command: str,
        cwd: str | None = None,
        task_id: str = "",
        session_key: str = "",
        env_vars: dict[str, str] | None = None,
        use_pty: bool = False,
    ) -> ProcessSession:
        """Starts a command in the background."""
        place = connection.client().task(task_id or connection.DEFAULT_TASK)
        process = place.start(command, cwd=cwd, env=env_vars, terminal=use_pty)
        return self._begun(process, session_key)

    def spawn_via_env(
        self,
        env: Any,
        command: str,
        cwd: str | None = None,
        task_id: str = "",
        session_key: str = "",
        timeout: int = 10,
    ) -> ProcessSession:
        """Starts a command in the background of an environment."""
        return self._begun(env.place.start(command, cwd=cwd), session_key)

    def _begun(self, process: Process, session_key: str) -> ProcessSession:
        session = ProcessSession.of(process.info)
        session.session_key = session_key
        return session

    # Asking

    def get(self, session_id: str) -> ProcessSession | None:
        """The process of this id, or None."""
        try:
            process = connection.client().process(session_id)
            return ProcessSession.of(process.refresh(tail=8192))
        except TalariaError:
            return None

    def poll(self, session_id: str) -> dict[str, Any]:
        return self._ask("poll", session_id)

    def read_log(self, session_id: str, offset: int = 0, limit: int = 200) -> dict[str, Any]:
        return self._ask("log", session_id, offset=offset or None, limit=limit)

    def wait(self, session_id: str, timeout: int | None = None) -> dict[str, Any]:
        return self._ask("wait", session_id, timeout=timeout)

    def kill_process(self, session_id: str) -> dict[str, Any]:
        return self._ask("kill", session_id)

    def write_stdin(self, session_id: str, data: str) -> dict[str, Any]:
        return self._ask("write", session_id, data=data)

    def submit_stdin(self, session_id: str, data: str = "") -> dict[str, Any]:
        return self._ask("submit", session_id, data=data)

    def close_stdin(self, session_id: str) -> dict[str, Any]:
        return self._ask("close", session_id)

    def list_sessions(self, task_id: str | None = None) -> list[dict[str, Any]]:
        """All processes, or those of a task."""
        return connection.tool("process", {"action": "list"}, task=task_id).get("processes", [])

    def _ask(self, action: str, session_id: str, **arguments: Any) -> dict[str, Any]:
        given = {"action": action, "session_id": session_id, **arguments}
        result = connection.tool("process", given)
        if result.get("status") == "exited" and action in ("poll", "log", "wait"):
            self._consumed.add(session_id)
        return result

    # Counting

    def _running(self, **where: str) -> list[dict[str, Any]]:
        answer = connection.call("processes.list", where)
        return [one for one in answer["processes"] if one["running"]]

    def count_running(self) -> int:
        """How many run."""
        try:
            return len(self._running())
        except TalariaError:
            return 0

    def has_active_processes(self, task_id: str) -> bool:
        """Whether one of this task runs."""
        return bool(self._running(task=task_id))

    def has_active_for_session(self, session_key: str) -> bool:
        """Whether one of this session key runs."""
        return any(one.get("session_key") == session_key for one in self._running())

    def kill_all(self, task_id: str | None = None) -> int:
        """Ends those of a task, or all. Returns how many ran."""
        params = {"task": task_id} if task_id else {}
        return connection.call("processes.kill_all", params)["killed"]

    def recover_from_checkpoint(self) -> int:
        """Nothing has to be recovered: they are still there. Returns how many run."""
        return self.count_running()

    # Notices

    def listen(self) -> None:
        """From here on notices come into `completion_queue`."""
        with self._lock:
            if self._events is not None:
                return
            self._events = connection.client().events(consumer=CONSUMER)
        ready = threading.Event()
        threading.Thread(
            target=self._take, args=(self._events, ready), daemon=True, name="talaria-notices"
        ).start()
        ready.wait(10)

    def _take(self, events: Events, ready: threading.Event) -> None:
        while True:
            try:
                event = events.next(timeout=0.05 if not ready.is_set() else None)
            except TimeoutError:
                ready.set()
                continue
            except (ConnectionLost, NotFound):
                return
            if event.type in NOTICES:
                self.completion_queue.put(notice(event))

    def is_completion_consumed(self, session_id: str) -> bool:
        """Whether the agent has already been told of this end."""
        return session_id in self._consumed

    def drain_notifications(self) -> list[tuple[dict[str, Any], str]]:
        """Takes all notices: each as Hermes has it, and as a text for the model."""
        taken: list[tuple[dict[str, Any], str]] = []
        while True:
            try:
                event = self.completion_queue.get_nowait()
            except queue.Empty:
                return taken
            ended = event["type"] == "completion"
            if ended and self.is_completion_consumed(event["session_id"]):
                continue
            taken.append((event, _text(event)))


def _text(event: dict[str, Any]) -> str:
    try:
        from tools.process_registry import format_process_notification
    except ImportError:
        return f"[IMPORTANT: {event.get('message') or event.get('output', '')}]"
    return format_process_notification(event) or ""


def notice(event: Event) -> dict[str, Any]:
    """The event as Hermes has it."""
    key = "" if event.session_key == questions.DEFAULT_KEY else event.session_key
    shared = {
        "type": event.type,
        "session_id": event.process or "",
        "session_key": key,
        "command": event.command,
    }
    if event.type == "completion":
        return {**shared, "exit_code": event.exit_code, "output": event.output}
    members = ("pattern", "output", "suppressed", "message")
    known = {name: event.raw[name] for name in members if name in event.raw}
    return {**shared, **known, **dict.fromkeys(ROUTES, "")}


process_registry = ProcessRegistry()
