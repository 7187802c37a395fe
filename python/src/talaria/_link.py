"""What carries the lines of a connection, to a local program or to a gateway."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from .errors import TalariaError

Receive = Callable[[bytes], None]
Lost = Callable[[str, TalariaError | None], None]


class Link(ABC):
    """One connection. It calls `receive` and `lost` in the thread of its loop; `lost` once, with
    the reason (and the error, if nothing was sent), and nothing after that."""

    def __init__(self, loop: asyncio.AbstractEventLoop, receive: Receive, lost: Lost) -> None:
        self.loop = loop
        self.receive = receive
        self._lost: Lost | None = lost

    @abstractmethod
    def open(self) -> None:
        """Begins to connect. May be called in any thread; what is written meanwhile waits."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Sends complete lines. May be called in any thread; never blocks."""

    @abstractmethod
    def end(self) -> None:
        """Ends the connection, and returns when it has ended. Not in the thread of the loop, unless
        the loop no longer runs."""

    @abstractmethod
    def finish(self, lines: Sequence[bytes]) -> None:
        """Instead of `open`: sends requests, waits for their answers, ends. Blocks, without a loop
        and without threads, as the end of the interpreter needs it."""

    @abstractmethod
    def abandon(self) -> None:
        """Forgets the connection in a forked child: closes descriptors, touches nothing else."""

    def lose(self, reason: str, error: TalariaError | None = None) -> None:
        """Reports the loss, once."""
        lost, self._lost = self._lost, None
        if lost is not None:
            lost(reason, error)
