"""How synchronous code waits: the calling thread writes its request and sleeps until the loop's
thread has its answer. The counterpart of `_async/runtime.py`.
"""

from __future__ import annotations

import base64
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._protocol import WINDOW
from ..errors import NotFound, TalariaError

if TYPE_CHECKING:
    from .._connection import Connection

T = TypeVar("T")
THREADED = True
STOP = 30.0  # seconds that a cancelled call has to end


if os.name == "nt":  # a wait without a limit cannot be interrupted there

    def _get(items: SimpleQueue[T]) -> T:
        while True:
            try:
                return items.get(timeout=0.2)
            except Empty:
                continue

else:

    def _get(items: SimpleQueue[T]) -> T:
        return items.get()


class Inbox(Generic[T]):
    """A queue with one reader."""

    def __init__(self) -> None:
        self._items: SimpleQueue[T] = SimpleQueue()
        self.put = self._items.put

    def get(self, timeout: float | None = None) -> T:
        """The next item. Raises TimeoutError."""
        if timeout is None:
            return _get(self._items)
        try:
            return self._items.get(timeout=timeout)
        except Empty:
            raise TimeoutError from None

    def __len__(self) -> int:
        return self._items.qsize()


class _End:
    """The answer, behind the last part."""

    __slots__ = ("error", "result")

    def __init__(self, result: dict[str, Any] | None, error: TalariaError | None) -> None:
        self.result = result
        self.error = error


class Call:
    """A request that is under way."""

    def __init__(self, connection: Connection, body: Mapping[str, Any]) -> None:
        self._connection = connection
        self._inbox: Inbox[dict[str, Any] | _End] = Inbox()
        self._end: _End | None = None
        self.id = connection.request(body, self)

    def answered(self, result: dict[str, Any] | None, error: TalariaError | None) -> None:
        self._inbox.put(_End(result, error))

    def part(self, body: dict[str, Any]) -> None:
        self._inbox.put(body)

    @property
    def ended(self) -> bool:
        """The answer was taken."""
        return self._end is not None

    def next_part(self) -> dict[str, Any] | None:
        """The next part; None when the answer is there."""
        if self._end is not None:
            return None
        item = self._inbox.get()
        if isinstance(item, _End):
            self._end = item
            return None
        return item

    def answer(self) -> dict[str, Any]:
        """The answer, behind all parts. Raises its error. If this wait is interrupted, the call is
        cancelled, and has ended when this returns."""
        try:
            while self.next_part() is not None:
                pass
        except GeneratorExit:  # nobody is there to wait
            self.cancel()
            raise
        except BaseException:
            self.stop()
            raise
        return self.outcome()

    def outcome(self) -> dict[str, Any]:
        """The answer that was taken."""
        assert self._end is not None
        if self._end.error is not None:
            raise self._end.error
        return self._end.result or {}

    def cancel(self) -> None:
        """Cancels the call and does not wait."""
        if self._end is None:
            self._connection.cancel(self.id)

    def cancel_soon(self) -> None:
        """The same for the garbage collector."""
        self._connection.cancel_soon(self.id)

    def stop(self) -> None:
        """Cancels the call and waits until it has ended, or nobody answers."""
        self.cancel()
        until = time.monotonic() + STOP
        while self._end is None and (left := until - time.monotonic()) > 0:
            try:
                item = self._inbox.get(left)
            except TimeoutError:
                break
            if isinstance(item, _End):
                self._end = item

    def consumed(self, size: int, window: int = WINDOW) -> None:
        """Lets more output come."""
        self._connection.consumed(self.id, size, window)

    def write(self, data: bytes = b"", *, end: bool = False) -> bool:
        """Gives it input. False: it takes no more."""
        params: dict[str, Any] = {"request": self.id}
        if data:
            params["data64"] = base64.b64encode(data).decode("ascii")
        if end:
            params["end"] = True
        call = Call(self._connection, {"method": "stream.write", "params": params})
        try:
            answer = call.answer()
        except NotFound:  # it has ended
            return False
        return bool(answer.get("taken"))


class Channel:
    """Calls on a connection. When nothing holds the channel any more, the connection ends."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        weakref.finalize(self, connection.close_soon).atexit = False

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Calls a method. Absent parameters may be None."""
        return self.open(method, params).answer()

    def open(self, method: str, params: Mapping[str, Any]) -> Call:
        """Calls a method, for its parts."""
        return Call(
            self.connection,
            {"method": method, "params": {k: v for k, v in params.items() if v is not None}},
        )

    def tool(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Calls a tool."""
        return Call(self.connection, body).answer()

    def close(self) -> None:
        """Ends the connection."""
        self.connection.close()


def Starting(made: T) -> T:  # noqa: N802  (the counterpart of AsyncStarting)
    """What was made is made."""
    return made


class Background:
    """Work beside the calls: handlers of questions and of tools."""

    def run(self, work: Callable[[], None]) -> None:
        """Runs it in a thread. It must not fail."""
        threading.Thread(target=work, name="talaria-handler", daemon=True).start()


def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Calls something that blocks."""
    return function(*arguments)


def pause(seconds: float) -> None:
    """Lets others work."""
    time.sleep(seconds)


def outcome_of(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Calls somebody's function, which may be a coroutine function."""
    import inspect

    result = function(*arguments, **named)
    if inspect.isawaitable(result):
        import asyncio

        async def wait() -> Any:
            return await result

        return asyncio.run(wait())
    return result


def gather(work: Sequence[Callable[[], T]]) -> list[T]:
    """Does all of it at the same time."""
    if len(work) < 2:
        return [one() for one in work]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(len(work), 32)) as pool:
        running = [pool.submit(one) for one in work]
        return [one.result() for one in running]
