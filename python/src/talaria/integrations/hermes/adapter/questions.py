"""Questions whether a command may run: asked by Talaria, answered by the person at Hermes."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from talaria import Approval, Approve, Deny, Talaria

SCOPES = ("once", "session", "always")
DEFAULT_KEY = "default"

_lock = threading.Lock()
_callers: dict[str, list[Callable[..., str] | None]] = {}
_listening: set[int] = set()


def session_key() -> str:
    """Who is asking, as Hermes says it."""
    try:
        from tools.approval import get_current_session_key
    except ImportError:
        return os.environ.get("HERMES_SESSION_KEY", DEFAULT_KEY)
    return get_current_session_key(default=DEFAULT_KEY) or DEFAULT_KEY


def yolo(key: str) -> bool:
    """Whether the person has switched the questions of this session off."""
    try:
        from tools.approval import is_session_yolo_enabled
    except ImportError:
        return False
    return bool(is_session_yolo_enabled(key))


@contextlib.contextmanager
def asking(client: Talaria, key: str) -> Iterator[None]:
    """While a call runs, its questions go to the person of the calling thread. Without one they
    wait in the queue of the home, and the call ends at once."""
    callback = _callback()
    if callback is None and not _interactive(key):
        yield
        return
    with _lock:
        _callers.setdefault(key, []).append(callback)
        first = id(client) not in _listening
        _listening.add(id(client))
    if first:
        client.approvals.handler(_answer)
    try:
        yield
    finally:
        with _lock:
            _callers[key].remove(callback)


def _callback() -> Callable[..., str] | None:
    from tools import terminal_tool

    get = getattr(terminal_tool, "_get_approval_callback", None)
    return get() if get is not None else None


def _interactive(key: str) -> bool:
    """Whether Hermes has somebody to ask without a callback: at the terminal, or in a chat."""
    if os.environ.get("HERMES_INTERACTIVE", "").strip().lower() in ("1", "true", "yes", "on"):
        return True
    return _chat(key) is not None


def _chat(key: str) -> Any:
    try:
        from tools import approval
    except ImportError:
        return None
    return approval._gateway_notify_cbs.get(key)


def _answer(question: Approval) -> Approve | Deny:
    with _lock:
        callers = _callers.get(question.session_key or DEFAULT_KEY)
        callback = callers[-1] if callers else None
    choice = _choice(question, callback)
    return Approve(scope=choice) if choice in SCOPES else Deny()  # type: ignore[arg-type]


def _choice(question: Approval, callback: Callable[..., str] | None) -> str:
    """`once`, `session`, `always` or `deny`."""
    notify = _chat(question.session_key)
    if callback is None and notify is not None:
        from tools import approval

        shown = {
            "command": question.command,
            "pattern_key": question.rule,
            "pattern_keys": list(question.rules),
            "description": question.description,
        }
        decision = approval._await_gateway_decision(question.session_key, notify, shown)
        return decision.get("choice") or "deny"
    try:
        from tools.approval import prompt_dangerous_approval
    except ImportError:
        if callback is None:
            return "deny"
        return callback(
            question.command, question.description, allow_permanent=question.allow_always
        )
    return prompt_dangerous_approval(
        question.command,
        question.description,
        allow_permanent=question.allow_always,
        approval_callback=callback,
    )
