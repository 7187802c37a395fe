"""The programs behind the tools: one for each set of settings, started when it is needed.

Hermes reads its settings from variables at every call, and changes them while it runs. A program
reads them when it starts. So when they have changed, another program takes over; sessions and
background processes belong to the home, not to a program.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from talaria import Talaria
from talaria._sync.runtime import Call
from talaria.errors import TalariaError
from talaria.integrations.hermes.environment import POLL, interrupt_check

from . import questions

SETTINGS = ("TERMINAL_", "HERMES_", "TALARIA_", "SUDO_PASSWORD", "HOME")
DEFAULT_TASK = "default"

_lock = threading.RLock()
_with_overrides: set[str] = set()
_clients: dict[tuple[tuple[str, str], ...], Talaria] = {}
_yolo: dict[str, bool] = {}


def owner_of(task_id: str | None) -> str:
    """Whose session a task uses. Subagents have tasks of their own and share the session of the
    agent, except those with settings of their own."""
    return task_id if task_id and task_id in _with_overrides else DEFAULT_TASK


def override(task_id: str, settings: Mapping[str, str] | None) -> None:
    """Gives a task settings of its own, or takes them back."""
    (_with_overrides.discard if settings is None else _with_overrides.add)(task_id)
    call("env.override", {"task": task_id, "overrides": settings})


def client(more: Mapping[str, str] | None = None) -> Talaria:
    """The client for the settings of now; `more` are settings of one environment."""
    settings = {
        name: value for name, value in os.environ.items() if name.startswith(SETTINGS)
    } | dict(more or {})
    key = tuple(sorted(settings.items()))
    with _lock:
        found = _clients.get(key)
        if found is None:
            found = _clients[key] = Talaria(env=dict(more) if more else None)
            _yolo.clear()
        return found


def call(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Calls a method of the protocol."""
    return client().call(method, params)


def tool(
    name: str,
    arguments: Mapping[str, Any],
    *,
    task: str | None = None,
    tools: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Calls a tool and returns its JSON. A person who has to approve it is asked as Hermes asks."""
    session_key = questions.session_key()
    given = {key: value for key, value in arguments.items() if value is not None}
    used = client()
    with questions.asking(used, session_key):
        _follow_yolo(used, session_key)
        try:
            body = {"tool": name, "args": given, "task": task or DEFAULT_TASK}
            if session_key:
                body["session_key"] = session_key
            if tools is not None:
                body["tools"] = list(tools)
            return _answer(Call(used._channel.connection, body))
        except TalariaError as error:
            return {"error": error.message}


def _answer(call: Call) -> dict[str, Any]:
    """Waits for the answer. Hermes interrupts a call by a mark on its thread, so that thread looks
    at the mark, and another one waits."""
    interrupted = interrupt_check()
    waiting = threading.Thread(target=_wait, args=(call,), daemon=True, name="talaria-call")
    waiting.start()
    cancelled = False
    try:
        while waiting.is_alive():
            if not cancelled and interrupted():
                call.cancel()
                cancelled = True
            waiting.join(POLL)
    except BaseException:  # Hermes is being ended: so is the call
        call.cancel()
        waiting.join()
        raise
    return call.outcome()


def _wait(call: Call) -> None:
    while call.next_part() is not None:
        pass


def _follow_yolo(used: Talaria, session_key: str) -> None:
    """Hermes can switch its questions off for a session."""
    on = questions.yolo(session_key)
    if _yolo.get(session_key, False) != on:
        used.call("approvals.yolo", {"session_key": session_key, "on": on})
        _yolo[session_key] = on
