"""Commands of a session that run on while the model looks at their output."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field

from agents.sandbox.errors import PtySessionNotFoundError
from agents.sandbox.session.pty_output import collect_pty_output
from agents.sandbox.session.pty_types import (
    PTY_PROCESSES_MAX,
    PtyExecUpdate,
    allocate_pty_process_id,
    clamp_pty_yield_time_ms,
    process_id_to_prune_from_meta,
    resolve_pty_write_yield_time_ms,
)

from talaria import AsyncProcess
from talaria.errors import TalariaError

FIRST_LOOK = 10.0  # seconds that the model waits for the first output, if it does not say
NEXT_LOOK = 0.25


@dataclass
class _Entry:
    process: AsyncProcess
    takes_input: bool
    chunks: deque[bytes] = field(default_factory=deque)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    notify: asyncio.Event = field(default_factory=asyncio.Event)
    closed: bool = False
    used: float = field(default_factory=time.monotonic)
    pump: asyncio.Task[None] | None = None

    async def follow(self) -> None:
        """Takes the output as it comes. Runs until the command has ended."""
        try:
            async with self.process.follow(raw=True) as output:
                async for piece in output:
                    async with self.lock:
                        self.chunks.append(piece.raw)
                    self.notify.set()
            await self.process.wait()
        except TalariaError as error:
            async with self.lock:
                self.chunks.append(f"\n[{error}]\n".encode())
        finally:
            self.closed = True
            self.notify.set()


class Terminals:
    """The commands under way, by the numbers that the model uses for them."""

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}

    async def add(
        self,
        process: AsyncProcess,
        takes_input: bool,
        yield_time: float | None,
        max_output_tokens: int | None,
    ) -> PtyExecUpdate:
        entry = _Entry(process, takes_input)
        entry.pump = asyncio.create_task(entry.follow())
        await self._make_room()
        number = allocate_pty_process_id(set(self._entries))
        self._entries[number] = entry
        wait = clamp_pty_yield_time_ms(
            int((FIRST_LOOK if yield_time is None else yield_time) * 1000)
        )
        return await self._update(number, entry, wait, max_output_tokens)

    async def write(
        self, number: int, chars: str, yield_time: float | None, max_output_tokens: int | None
    ) -> PtyExecUpdate:
        entry = self._entries.get(number)
        if entry is None:
            raise PtySessionNotFoundError(session_id=number)
        if chars:
            if not entry.takes_input:
                raise RuntimeError("stdin is not available for this process")
            await entry.process.write(chars)
        wait = resolve_pty_write_yield_time_ms(
            yield_time_ms=int((NEXT_LOOK if yield_time is None else yield_time) * 1000),
            input_empty=chars == "",
        )
        entry.used = time.monotonic()
        return await self._update(number, entry, wait, max_output_tokens)

    async def close(self) -> None:
        """Ends all of them."""
        entries, self._entries = list(self._entries.values()), {}
        for entry in entries:
            await _end(entry)

    async def _update(
        self, number: int, entry: _Entry, wait_ms: int, max_output_tokens: int | None
    ) -> PtyExecUpdate:
        output, tokens, closed = await collect_pty_output(
            output_chunks=entry.chunks,
            output_lock=entry.lock,
            output_notify=entry.notify,
            is_done=lambda: entry.closed,
            yield_time_ms=wait_ms,
            max_output_tokens=max_output_tokens,
        )
        exit_code = entry.process.info.exit_code if closed else None
        if closed:
            self._entries.pop(number, None)
        return PtyExecUpdate(
            process_id=None if closed else number,
            output=output,
            exit_code=exit_code,
            original_token_count=tokens,
        )

    async def _make_room(self) -> None:
        if len(self._entries) < PTY_PROCESSES_MAX:
            return
        known = [(number, entry.used, entry.closed) for number, entry in self._entries.items()]
        number = process_id_to_prune_from_meta(known)
        if number is not None:
            await _end(self._entries.pop(number))


async def _end(entry: _Entry) -> None:
    try:
        if not entry.closed:
            await entry.process.kill()
    except TalariaError:
        pass  # it is gone, and that is what was wanted
    if entry.pump is not None:
        await entry.pump
