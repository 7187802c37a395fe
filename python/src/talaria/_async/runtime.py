"""How asynchronous code waits. `_sync/runtime.py` is its counterpart; everything else of `_sync` is
generated from `_async` (tools/generate_sync.py).
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import time
import weakref
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._protocol import WINDOW
from ..errors import ConnectionLost, NotFound, TalariaError

if TYPE_CHECKING:
    from .._connection import Connection

T = TypeVar("T")
THREADED = False
STOP = 30.0  # seconds that a cancelled call has to end


class AsyncInbox(Generic[T]):
    """A queue with one reader."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._waiter: asyncio.Future[None] | None = None

    def put(self, item: T) -> None:
        self._items.append(item)
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def get(self, timeout: float | None = None) -> T:
        """The next item. Raises TimeoutError."""
        while not self._items:
            self._waiter = asyncio.get_running_loop().create_future()
            if timeout is None:
                await self._waiter
            else:
                try:
                    await asyncio.wait_for(self._waiter, timeout)
                except asyncio.TimeoutError:
                    raise TimeoutError from None
        return self._items.popleft()

    def __len__(self) -> int:
        return len(self._items)


class _End:
    """The answer, behind the last part."""

    __slots__ = ("error", "result")

    def __init__(self, result: dict[str, Any] | None, error: TalariaError | None) -> None:
        self.result = result
        self.error = error


class AsyncCall:
    """A request that is under way."""

    def __init__(self, connection: Connection, body: Mapping[str, Any]) -> None:
        self._connection = connection
        self._inbox: AsyncInbox[dict[str, Any] | _End] = AsyncInbox()
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

    async def next_part(self) -> dict[str, Any] | None:
        """The next part; None when the answer is there."""
        if self._end is not None:
            return None
        item = await self._inbox.get()
        if isinstance(item, _End):
            self._end = item
            return None
        return item

    async def answer(self) -> dict[str, Any]:
        """The answer, behind all parts. Raises its error. If this wait is cancelled, the call is
        cancelled, and has ended when this returns."""
        try:
            while await self.next_part() is not None:
                pass
        except GeneratorExit:  # nobody is there to wait
            self.cancel()
            raise
        except BaseException:
            await self.stop()
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

    async def stop(self) -> None:
        """Cancels the call and waits until it has ended, or nobody answers."""
        self.cancel()
        until = time.monotonic() + STOP
        while self._end is None and (left := until - time.monotonic()) > 0:
            try:
                item = await self._inbox.get(left)
            except TimeoutError:
                break
            if isinstance(item, _End):
                self._end = item

    def consumed(self, size: int, window: int = WINDOW) -> None:
        """Lets more output come."""
        self._connection.consumed(self.id, size, window)

    async def write(self, data: bytes = b"", *, end: bool = False) -> bool:
        """Gives it input. False: it takes no more."""
        params: dict[str, Any] = {"request": self.id}
        if data:
            params["data64"] = base64.b64encode(data).decode("ascii")
        if end:
            params["end"] = True
        call = AsyncCall(self._connection, {"method": "stream.write", "params": params})
        try:
            answer = await call.answer()
        except NotFound:  # it has ended
            return False
        return bool(answer.get("taken"))


class AsyncChannel:
    """Calls on a connection. When nothing holds the channel any more, the connection ends."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        weakref.finalize(self, connection.close_soon).atexit = False

    async def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Calls a method. Absent parameters may be None."""
        return await self.open(method, params).answer()

    def open(self, method: str, params: Mapping[str, Any]) -> AsyncCall:
        """Calls a method, for its parts."""
        return AsyncCall(
            self.connection,
            {"method": method, "params": {k: v for k, v in params.items() if v is not None}},
        )

    async def tool(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Calls a tool."""
        return await AsyncCall(self.connection, body).answer()

    async def close(self) -> None:
        """Ends the connection."""
        await in_thread(self.connection.close)


class AsyncStarting(Generic[T]):
    """Something that is being made: await it, or enter it with `async with`."""

    def __init__(self, making: Coroutine[Any, Any, T]) -> None:
        self._making = making
        self._made: Any = None

    def __await__(self) -> Generator[Any, Any, T]:
        return self._making.__await__()

    async def __aenter__(self) -> T:
        self._made = await self._making
        return cast("T", self._made)

    async def __aexit__(self, *exception: object) -> None:
        await self._made.close()


class Background:
    """Work beside the calls: handlers of questions and of tools."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs it. It must not fail."""
        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Calls something that blocks."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *arguments)


async def pause(seconds: float) -> None:
    """Lets others work."""
    await asyncio.sleep(seconds)


async def outcome_of(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Calls somebody's function, which may be a coroutine function or one that blocks."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments, **named)
    result = await in_thread(lambda: function(*arguments, **named))
    return await result if inspect.isawaitable(result) else result


async def gather(work: Sequence[Callable[[], Coroutine[Any, Any, T]]]) -> list[T]:
    """Does all of it at the same time."""
    return list(await asyncio.gather(*(one() for one in work)))


def lost_client() -> ConnectionLost:
    """The error of a stream whose client was closed."""
    return ConnectionLost("this client was closed")
