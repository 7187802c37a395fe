"""The event loop behind synchronous clients: one thread per process, started when needed."""

from __future__ import annotations

import asyncio
import os
import threading

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def background_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process, which runs in a daemon thread."""
    global _loop
    if _loop is not None:
        return _loop
    with _lock:
        if _loop is None:
            loop = asyncio.new_event_loop()
            ready = threading.Event()
            loop.call_soon(ready.set)
            threading.Thread(target=loop.run_forever, name="talaria", daemon=True).start()
            ready.wait()
            _loop = loop
        return _loop


def _after_fork() -> None:
    """The child has no such thread. Its copy of the loop is left alone: closing it would take
    descriptors that the parent's loop waits for out of a shared epoll."""
    global _loop, _lock, _abandoned
    _abandoned = _loop
    _loop = None
    _lock = threading.Lock()


_abandoned: asyncio.AbstractEventLoop | None = None

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
