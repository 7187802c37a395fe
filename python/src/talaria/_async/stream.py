"""The output of a command or a process, as it comes."""

from __future__ import annotations

import base64
import codecs
from types import TracebackType
from typing import Any, cast

from .._protocol import WINDOW
from ..types import Chunk, Command, Data, ProcessOutput, Result, StreamName, bytes_of
from .runtime import AsyncCall


class AsyncStream:
    """The output of a running command: iterate over it, then look at `result`.

        async for chunk in sandbox.stream("make"):
            print(chunk.data, end="")

    A consumer that is slow holds up the command. A stream that is left early (`async with`, or
    `close()`) ends the command.
    """

    def __init__(self, call: AsyncCall, command: Command, window: int | None = None) -> None:
        self._call = call
        self._command = command
        self._window = window or WINDOW
        self._result: Result | None = None
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}
        self._taken = 0

    @property
    def result(self) -> Result:
        """How the command ended; its output is not in it. Only after the last chunk."""
        if self._result is None:
            raise RuntimeError("the command has not ended; read the stream to its end first")
        return self._result

    async def write(self, data: Data) -> bool:
        """Gives the command input (`stdin=True`). False: it takes no more."""
        return await self._call.write(data.encode() if isinstance(data, str) else data)

    async def close_input(self) -> bool:
        """Ends the input of the command."""
        return await self._call.write(end=True)

    async def wait(self) -> Result:
        """Reads to the end, and drops what comes."""
        async for _ in self:
            pass
        return self.result

    def cancel(self) -> None:
        """Ends the command and does not wait. May be called in another thread or task than the one
        that reads, which gets the rest of the output and `result.interrupted`."""
        self._call.cancel()

    async def close(self) -> None:
        """Ends the command, if it still runs, and everything it started."""
        await self._call.stop()

    def __aiter__(self) -> AsyncStream:
        return self

    async def __anext__(self) -> Chunk:
        while True:
            self._give_back()
            try:
                part = await self._call.next_part()
            except GeneratorExit:
                self._call.cancel()
                raise
            except BaseException:
                await self._call.stop()
                raise
            if part is None:
                if self._result is None:
                    self._result = Result.from_wire(self._call.outcome(), self._command)
                raise StopAsyncIteration
            if "stream" in part:
                return self._chunk(part)

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        call = getattr(self, "_call", None)
        if call is not None and not call.ended:
            call.cancel_soon()

    def _give_back(self) -> None:
        taken, self._taken = self._taken, 0
        if taken:
            self._call.consumed(taken, self._window)

    def _chunk(self, part: dict[str, Any]) -> Chunk:
        stream = cast("StreamName", part["stream"])
        encoded: str | None = part.get("data64")
        if encoded is None:
            text: str = part.get("data") or ""
            self._taken = len(text.encode("utf-8", "replace"))
            return Chunk(stream, text)
        raw = base64.b64decode(encoded)
        self._taken = len(raw)
        decoder = self._decoders.get(stream)
        if decoder is None:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            self._decoders[stream] = decoder
        return Chunk(stream, decoder.decode(raw), raw)


class AsyncOutput:
    """The output of a background process, as it comes. Ends with the process."""

    def __init__(self, call: AsyncCall, window: int | None = None) -> None:
        self._call = call
        self._window = window or WINDOW
        self._taken = 0

    async def close(self) -> None:
        """Ends the reading; the process runs on."""
        await self._call.stop()

    def __aiter__(self) -> AsyncOutput:
        return self

    async def __anext__(self) -> ProcessOutput:
        while True:
            taken, self._taken = self._taken, 0
            if taken:
                self._call.consumed(taken, self._window)
            part = await self._call.next_part()
            if part is None:
                self._call.outcome()
                raise StopAsyncIteration
            if "stream" in part:
                raw = bytes_of(part, "data")
                self._taken = len(raw)
                start: int = part["from"]
                text = part.get("data")
                return ProcessOutput(
                    data=text if text is not None else raw.decode("utf-8", "replace"),
                    start=start,
                    next=part["next"],
                    raw=raw,
                    total=part["next"],
                )

    async def __aenter__(self) -> AsyncOutput:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        call = getattr(self, "_call", None)
        if call is not None and not call.ended:
            call.cancel_soon()
