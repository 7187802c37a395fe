"""A connection: the protocol on a link, made again when the link is lost.

Calls may be made in any thread; listeners are called in the thread of the loop. Nothing here waits,
so that synchronous and asynchronous clients share it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Protocol as Interface

from . import _log as log
from ._link import Link, Lost, Receive
from ._protocol import WINDOW, Answer, Event, Message, Part, Protocol
from .errors import BadRequest, ConnectionLost, TalariaError

MakeLink = Callable[[asyncio.AbstractEventLoop, Receive, Lost], Link]
EventListener = Callable[[dict[str, Any]], None]
_connections: weakref.WeakSet[Connection] = weakref.WeakSet()


class Listener(Interface):
    """Who waits for a request."""

    def answered(self, result: dict[str, Any] | None, error: TalariaError | None) -> None: ...

    def part(self, body: dict[str, Any]) -> None: ...


class Connection:
    """Requests out, answers, parts and events in."""

    def __init__(
        self,
        make_link: MakeLink,
        loop: Callable[[], asyncio.AbstractEventLoop],
        *,
        remote: bool = False,
    ) -> None:
        self._make_link = make_link
        self._loop_of = loop
        self._lock = threading.RLock()
        self._protocol = Protocol()
        self._link: Link | None = None
        self._listeners: dict[int, Listener] = {}
        self._event_listeners: list[EventListener] = []
        self._kept: dict[str, Mapping[str, Any]] = {}
        self._closed = False
        self._failures = 0
        self._opened = 0.0
        self.remote = remote
        self._own: str | None = None  # a task of this client's own, until it was used
        self.leftovers: dict[str, list[Mapping[str, Any]]] = {}
        self.after_fork: weakref.WeakMethod[Callable[[], None]] | None = None
        _connections.add(self)

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def link(self) -> Link | None:
        """The link as it is now, if there is one."""
        return self._link

    def request(self, body: Mapping[str, Any], listener: Listener) -> int:
        """Sends a request. The listener gets its parts and its answer."""
        loop = self._loop_of()
        if self._own is not None:
            self._note_own(body)
        try:
            with self._lock:
                link = self._link or self._open(loop)
                number, line = self._protocol.request(body)
                self._listeners[number] = listener
                link.write(line)
        except KeyboardInterrupt:
            self._take_back(listener)
            raise
        return number

    def is_usable(self) -> bool:
        """Whether calls can be made here: an asynchronous client belongs to one loop."""
        try:
            self._loop_of()
        except (BadRequest, RuntimeError):
            return False
        return not self._closed

    def cancel(self, request: int) -> None:
        """Cancels a request. Its answer still comes."""
        with self._lock:
            line = self._protocol.cancel(request)
            if line is not None and self._link is not None:
                self._link.write(line)

    def cancel_all(self) -> None:
        """Cancels every request."""
        for request in list(self._listeners):
            self.cancel(request)

    @property
    def busy(self) -> bool:
        """Whether requests wait for their answers."""
        return bool(self._listeners)

    def cancel_soon(self, request: int) -> None:
        """The same for the garbage collector, which calls at any point: this takes no lock."""
        link = self._link
        if link is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and so has the request
                link.loop.call_soon_threadsafe(self.cancel, request)

    def consumed(self, request: int, size: int, window: int = WINDOW) -> None:
        """Reports that output was consumed, so that more may come."""
        with self._lock:
            line = self._protocol.consumed(request, size, window)
            if line is not None and self._link is not None:
                self._link.write(line)

    def keep(self, name: str, body: Mapping[str, Any] | None) -> None:
        """Names a request that is sent at the beginning of every later link, too: a subscription.
        None forgets it."""
        with self._lock:
            if body is None:
                self._kept.pop(name, None)
            else:
                self._kept[name] = body

    def listen(self, listener: EventListener) -> Callable[[], None]:
        """Calls `listener` for every event. Returns what ends that."""
        with self._lock:
            self._event_listeners = [*self._event_listeners, listener]

        def stop() -> None:
            with self._lock:
                self._event_listeners = [one for one in self._event_listeners if one != listener]

        return stop

    def _close_in_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        with contextlib.suppress(RuntimeError):  # the interpreter ends
            loop.run_in_executor(None, self.close_at_exit)

    def own_task(self, name: str) -> None:
        """Names the task of this client alone. Once it was used, it is ended with the client."""
        self._own = None if self.remote else name

    def take_leftovers(self) -> list[Mapping[str, Any]]:
        """The requests that are left to do before the client ends."""
        leftovers, self.leftovers = self.leftovers, {}
        return [body for bodies in leftovers.values() for body in bodies]

    def close(self) -> None:
        """Ends the link and returns when it has ended. Calls under way fail."""
        with self._lock:
            self._closed = True
            link, self._link = self._link, None
        if link is not None:
            link.end()
        self._fail("the client was closed")

    def close_at_exit(self) -> None:
        """Closes what nobody closed, and does by another link what is left to do: the loop of this
        one may have ended."""
        self.close()
        bodies = self.take_leftovers()
        if bodies:
            lines = [self._protocol.request(body)[1] for body in bodies]
            with contextlib.closing(asyncio.new_event_loop()) as loop:  # never run: finish() blocks
                self._make_link(loop, _ignore, _ignore).finish(lines)

    def close_soon(self) -> None:
        """Closes what nobody can use any more. The garbage collector calls this, in any thread and
        at any point, so it may take no lock."""
        link = self._link
        if link is not None and not self._closed:
            with contextlib.suppress(RuntimeError):  # the loop has ended: at exit, then
                link.loop.call_soon_threadsafe(self._close_in_thread, link.loop)

    def _take_back(self, listener: Listener) -> None:
        """Ctrl-C came while a request was sent: it may be under way."""
        for number, one in list(self._listeners.items()):
            if one is listener:
                self.cancel(number)

    def _note_own(self, body: Mapping[str, Any]) -> None:
        task = body.get("task") or body.get("params", {}).get("task")
        if task == self._own and task is not None:
            self._own = None
            params = {"task": task}
            self.leftovers[task] = [
                {"method": "processes.kill_all", "params": params},
                {"method": "sessions.end", "params": params},
            ]

    def _open(self, loop: asyncio.AbstractEventLoop) -> Link:
        if self._closed:
            raise ConnectionLost("this client was closed; make a new one")

        def lost(reason: str, error: TalariaError | None) -> None:
            self._on_lost(link, reason, error)

        link = self._make_link(loop, self._receive, lost)
        link.open()
        self._opened = time.monotonic()
        self._link = link
        for body in self._kept.values():
            link.write(self._protocol.silent(body))
        return link

    def _receive(self, data: bytes) -> None:
        for message in self._protocol.receive(data):
            try:
                self._dispatch(message)
            except Exception:
                log.exception("a listener failed")

    def _dispatch(self, message: Message) -> None:
        if isinstance(message, Answer):
            listener = self._listeners.pop(message.id, None)
            if listener is not None:
                listener.answered(message.result, message.error)
        elif isinstance(message, Part):
            listener = self._listeners.get(message.id)
            if listener is not None:
                listener.part(message.body)
        elif isinstance(message, Event):
            for one in self._event_listeners:
                one(message.body)
        else:
            log.warning("unexpected: %s", message.message)

    def _on_lost(self, link: Link, reason: str, error: TalariaError | None) -> None:
        with self._lock:
            if self._link is not link:
                return
            self._link = None
            lived = time.monotonic() - self._opened
            self._failures = 0 if lived > 10 else self._failures + 1
            again = bool(self._kept) and not self._closed
        self._fail(reason, error)
        if again:
            delay = min(10.0, 0.05 * 2 ** min(self._failures, 8))
            link.loop.call_later(delay, self._open_again, link.loop)

    def _open_again(self, loop: asyncio.AbstractEventLoop) -> None:
        """Subscriptions wait for events, so they need a link although nobody calls."""
        try:
            with self._lock:
                if self._kept and not self._closed and self._link is None:
                    self._open(loop)
        except TalariaError as error:
            log.warning("cannot connect again: %s", error)

    def _fail(self, reason: str, error: TalariaError | None = None) -> None:
        with self._lock:
            self._protocol.lost()
            self._protocol = Protocol(self._protocol.next_id)
            listeners, self._listeners = self._listeners, {}
        for listener in listeners.values():
            listener.answered(None, error or ConnectionLost(f"{reason}. The call may have run"))

    def forked(self) -> None:
        """In the child of a fork: what the parent has is the parent's."""
        self._lock = threading.RLock()
        link, self._link = self._link, None
        listeners, self._listeners = self._listeners, {}
        self._protocol = Protocol()
        self._kept = {}
        self._event_listeners = []
        self.leftovers.clear()
        if link is not None:
            link.abandon()
        for listener in listeners.values():
            listener.answered(None, ConnectionLost("the process forked; the call is the parent's"))
        after_fork = self.after_fork() if self.after_fork is not None else None
        if after_fork is not None:
            after_fork()


def one_loop() -> Callable[[], asyncio.AbstractEventLoop]:
    """For an asynchronous client: the loop of its first call, in the process of its first call."""
    first: list[tuple[asyncio.AbstractEventLoop, int]] = []

    def loop() -> asyncio.AbstractEventLoop:
        running = asyncio.get_running_loop()
        if not first:
            first.append((running, os.getpid()))
        if first[0] != (running, os.getpid()):
            raise BadRequest(
                "this client belongs to another event loop or process; "
                "make an AsyncTalaria in this one"
            )
        return running

    return loop


def _ignore(*_: object) -> None:
    pass


def _end_all() -> None:
    for connection in list(_connections):
        try:
            if not connection.closed:
                connection.close_at_exit()
        except Exception as error:
            log.debug("at exit: %s", error)


def _forked() -> None:
    for connection in list(_connections):
        connection.forked()


import atexit  # noqa: E402

atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
