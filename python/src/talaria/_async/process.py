"""Background processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..types import Cursor, Data, Json, ProcessInfo, ProcessOutput, Screen, Survivor, Time, bytes_of
from .stream import AsyncOutput

if TYPE_CHECKING:
    from .runtime import AsyncChannel


class AsyncProcess:
    """A command that runs in the background. It outlives this program, unless its lifetime says
    otherwise; `AsyncTalaria.process(id)` finds it again."""

    def __init__(self, channel: AsyncChannel, info: ProcessInfo) -> None:
        self._channel = channel
        self._info = info
        self._cursor = 0

    @property
    def id(self) -> str:
        """`proc_` and 12 hexadecimal digits."""
        return self._info.id

    @property
    def info(self) -> ProcessInfo:
        """What was known when it was last asked. `refresh()` asks."""
        return self._info

    @property
    def cursor(self) -> int:
        """Where the next `read()` begins."""
        return self._cursor

    async def refresh(self, *, tail: int | None = None) -> ProcessInfo:
        """Asks how it is. `tail`: that many bytes of the end of its output are in `info.tail`."""
        return self._took(await self._call("get", {"tail": tail}))

    async def read(
        self, start: int | None = None, *, max_bytes: int | None = None, raw: bool = False
    ) -> ProcessOutput:
        """A part of its output: from `start`, or from where the last `read()` ended. It does not
        wait for output. With `raw` the bytes as they were printed."""
        begin = self._cursor if start is None else start
        answer = await self._call(
            "read", {"from": begin, "max": max_bytes, "encoding": "base64" if raw else None}
        )
        if start is None:
            self._cursor = answer["next"]
        return _output(answer)

    def follow(
        self, start: int | None = None, *, raw: bool = False, window: int | None = None
    ) -> AsyncOutput:
        """Its output from `start` (from the cursor), and then as it comes, until it ends."""
        params: Json = {
            "process": self.id,
            "from": self._cursor if start is None else start,
            "follow": True,
            "encoding": "base64" if raw else None,
            "window": window,
        }
        return AsyncOutput(self._channel.open("processes.read", params), window)

    async def write(self, data: Data, *, end: bool = False) -> int:
        """Gives it input (`start(stdin=True)` or with a terminal). Returns how much it took."""
        name = "data" if isinstance(data, str) else "data64"
        return (await self._call("write", {name: _text(data), "end": end or None}))["taken"]

    async def close_input(self) -> None:
        """Ends its input."""
        await self._call("write", {"data": "", "end": True})

    async def resize(self, rows: int, cols: int) -> None:
        """Changes the size of its terminal."""
        await self._call("resize", {"rows": rows, "cols": cols})

    async def signal(self, signal: int | str) -> None:
        """Sends a signal (`"INT"`, 2) to its whole tree."""
        await self._call("signal", {"signal": signal})

    async def wait(self, timeout: Time | None = None) -> ProcessInfo:
        """Waits for its end. At the timeout `info.running` is true; the process runs on."""
        return self._took(await self._call("wait", {"timeout": timeout}))

    async def kill(self) -> tuple[Survivor, ...]:
        """Ends it and everything it started. Returns what could not be ended."""
        answer = await self._call("kill", {})
        survivors = answer.get("survivors") or ()
        return tuple(
            Survivor(one.get("pid", 0), one.get("name", ""), one.get("reason", ""))
            for one in survivors
        )

    async def screen(self) -> Screen:
        """What its terminal shows."""
        answer = await self._call("screen", {})
        cursor = answer["cursor"]
        return Screen(
            lines=tuple(answer["lines"]),
            rows=answer["rows"],
            cols=answer["cols"],
            cursor=Cursor(cursor["row"], cursor["col"], bool(cursor.get("visible", True))),
            title=answer.get("title") or "",
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self._info.command!r}>"

    def _took(self, answer: Json) -> ProcessInfo:
        self._info = ProcessInfo.from_wire(answer["process"])
        return self._info

    async def _call(self, method: str, params: Json) -> Json:
        params["process"] = self.id
        return await self._channel.call("processes." + method, params)


def _text(data: Data) -> str:
    if isinstance(data, str):
        return data
    import base64

    return base64.b64encode(data).decode("ascii")


def _output(answer: Json) -> ProcessOutput:
    raw = bytes_of(answer, "data")
    text = answer.get("data")
    return ProcessOutput(
        data=text if text is not None else raw.decode("utf-8", "replace"),
        start=answer["from"],
        next=answer["next"],
        raw=raw,
        total=answer["total"],
        eof=bool(answer.get("eof")),
        lost=answer.get("lost") or 0,
    )
