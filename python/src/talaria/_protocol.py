"""The protocol without I/O: requests become lines, lines become answers, parts and events.

A `Protocol` knows which requests are open, gives them ids, and keeps count of how much of their
output was consumed. What carries the lines is a link's business, who waits for them a call's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from .errors import BadRequest, LimitReached, TalariaError, from_wire

MAX_LINE = 64 * 1024 * 1024
WINDOW = 1024 * 1024
_NO_LIMIT = 1 << 40

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
_decode = json.JSONDecoder().decode


class Answer(NamedTuple):
    """The one answer of a request."""

    id: int
    result: dict[str, Any] | None
    error: TalariaError | None


class Part(NamedTuple):
    """Something that a request pushed before its answer."""

    id: int
    body: dict[str, Any]


class Event(NamedTuple):
    """Something that belongs to no request."""

    body: dict[str, Any]


class Stray(NamedTuple):
    """A line that fits nothing: worth a log entry, no more."""

    message: str


Message = Answer | Part | Event | Stray


class Protocol:
    """The state of one connection. A new connection needs a new one, with ids that go on."""

    def __init__(self, first_id: int = 1) -> None:
        self._next = first_id
        self._open: dict[int, int] = {}  # consumed and not yet given back, by request
        self._silent: set[int] = set()  # requests whose answer nobody waits for
        self._pieces: list[bytes] = []  # of a line that is not complete
        self._size = 0

    @property
    def next_id(self) -> int:
        """The id that the next request gets."""
        return self._next

    def request(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """The id and the line of a new request."""
        number = self._next
        line = _line(number, body)
        self._next = number + 1
        self._open[number] = 0
        return number, line

    def silent(self, body: Mapping[str, Any]) -> bytes:
        """The line of a request whose answer is not interesting."""
        number = self._next
        line = _line(number, body)
        self._next = number + 1
        self._silent.add(number)
        return line

    def cancel(self, request: int) -> bytes | None:
        """The lines that cancel a request, if it is open. What it has printed then needs no more
        room to be given: nobody may be there to do so."""
        if request not in self._open:
            return None
        more = {"request": request, "bytes": _NO_LIMIT}
        return self.silent({"cancel": request}) + self.silent(
            {"method": "stream.more", "params": more}
        )

    def consumed(self, request: int, size: int, window: int = WINDOW) -> bytes | None:
        """Counts output that was consumed. Returns a line once half of the window is to be given
        back."""
        if request not in self._open:
            return None
        waiting = self._open[request] + size
        if waiting * 2 < window:
            self._open[request] = waiting
            return None
        self._open[request] = 0
        return self.silent(
            {"method": "stream.more", "params": {"request": request, "bytes": waiting}}
        )

    def receive(self, data: bytes) -> list[Message]:
        """What the bytes that came contain. Lines may arrive in any pieces."""
        if b"\n" not in data:
            self._keep(data)
            return []
        lines = data.split(b"\n")
        if self._pieces:
            self._pieces.append(lines[0])
            lines[0] = b"".join(self._pieces)
            self._pieces.clear()
            self._size = 0
        if lines[-1]:
            self._keep(lines[-1])
        messages: list[Message] = []
        for line in lines[:-1]:
            message = self.line(line)
            if message is not None:
                messages.append(message)
        return messages

    def line(self, line: bytes | str) -> Message | None:
        """What one line says."""
        text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        if not text or text.isspace():
            return None
        try:
            decoded: object = _decode(text)
        except (ValueError, RecursionError) as error:
            return Stray(f"not JSON ({error}): {text[:200]}")
        if not isinstance(decoded, dict):
            return Stray(f"not an object: {text[:200]}")
        value = cast("dict[str, Any]", decoded)
        number = value.get("id")
        if number is not None:
            return self._reply(number, value)
        event = value.get("event")
        if isinstance(event, dict):
            return Event(cast("dict[str, Any]", event))
        return Stray(text[:500])

    def lost(self) -> list[int]:
        """The requests that will not be answered any more."""
        requests = list(self._open)
        self._open.clear()
        self._silent.clear()
        self._pieces.clear()
        self._size = 0
        return requests

    def _reply(self, number: object, value: dict[str, Any]) -> Message | None:
        if not isinstance(number, int) or number not in self._open:
            if isinstance(number, int) and number in self._silent:
                self._silent.discard(number)
                return None
            return Stray(f"an answer to {number!r}, which is not open")
        part = value.get("part")
        if isinstance(part, dict):
            return Part(number, cast("dict[str, Any]", part))
        result = value.get("result")
        if isinstance(result, dict):
            del self._open[number]
            return Answer(number, cast("dict[str, Any]", result), None)
        error = value.get("error")
        if isinstance(error, dict):
            del self._open[number]
            return Answer(number, None, from_wire(cast("dict[str, Any]", error)))
        return Stray(f"an answer to {number} without a result")

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > 4 * MAX_LINE:
            raise LimitReached(f"a line of more than {4 * MAX_LINE} bytes came")
        self._pieces.append(piece)


def _line(number: int, body: Mapping[str, Any]) -> bytes:
    try:
        text = _encode(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequest(f"the call cannot be written as JSON: {error}") from None
    if len(text) > MAX_LINE - 64:
        raise LimitReached(
            f"the call has {len(text)} bytes; at most {MAX_LINE} are possible. "
            "Write large data to a file with files.upload"
        )
    return f'{{"id":{number},{text[1:]}\n'.encode()
