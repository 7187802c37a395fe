"""The client's side of a WebSocket (RFC 6455) without I/O: bytes in, messages and replies out.

By hand, because the package has no dependency and the standard library has none. It does what a
gateway needs: text messages, pings, closing. No extensions.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import struct
from collections.abc import Mapping

from ._protocol import MAX_LINE
from .errors import ConnectionLost, Denied, LimitReached, NotFound, TalariaError, Unavailable

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_HEAD = 64 * 1024
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Unavailable):
    """The gateway answered something else than a WebSocket."""


class WebSocket:
    """The state of one connection.

    `begin()` is what to send first. `receive` takes what comes: complete messages are returned,
    `replies` is what to send because of them.
    """

    def __init__(self, host: str, path: str, protocol: str, headers: Mapping[str, str]) -> None:
        self._key = base64.b64encode(os.urandom(16))
        self._request = (host, path, protocol, dict(headers))
        self._protocol = protocol
        self._buffer = bytearray()
        self._pieces: list[bytes] = []
        self._size = 0
        self.open = False
        self.closed: str | None = None
        """Why the other side closed, once it did."""
        self.replies = bytearray()

    def begin(self) -> bytes:
        """The request that asks for a WebSocket."""
        host, path, protocol, headers = self._request
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {self._key.decode('ascii')}",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {protocol}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def receive(self, data: bytes) -> list[bytes]:
        """The messages that are complete now. Raises a TalariaError if the other side does not
        speak the protocol, or refused."""
        self._buffer += data
        if not self.open and not self._accepted():
            return []
        messages: list[bytes] = []
        while self.closed is None:
            frame = self._frame()
            if frame is None:
                break
            message = self._take(*frame)
            if message is not None:
                messages.append(message)
        return messages

    @staticmethod
    def text(line: bytes) -> bytes:
        """A text message, as one frame."""
        return frame(TEXT, line)

    def _accepted(self) -> bool:
        """Reads the answer to `begin()`, once it is complete."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _MAX_HEAD:
                raise Refused("the gateway does not speak HTTP")
            return False
        head = self._buffer[:end].decode("latin-1").split("\r\n")
        status = head[0].split(" ", 2)
        if len(status) < 2 or not status[0].startswith("HTTP/1."):
            raise Refused("the gateway does not speak HTTP")
        fields: dict[str, str] = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            fields[name.strip().lower()] = value.strip()
        if status[1] != "101":
            size = int(fields.get("content-length") or 0)
            if len(self._buffer) - end - 4 < min(size, _MAX_HEAD):
                return False
            raise _refusal(status, bytes(self._buffer[end + 4 :]))
        expected = base64.b64encode(hashlib.sha1(self._key + _MAGIC).digest()).decode("ascii")
        if fields.get("sec-websocket-accept") != expected:
            raise Refused("the gateway's answer is not that of a WebSocket")
        if fields.get("sec-websocket-protocol") != self._protocol:
            raise Refused(f"the gateway does not speak {self._protocol}; update it")
        del self._buffer[: end + 4]
        self.open = True
        return True

    def _frame(self) -> tuple[int, bool, bytes] | None:
        """The next complete frame: kind, whether it is the last of its message, content."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        if first & 0x70 or second & 0x80:
            raise ConnectionLost("the gateway sent an invalid frame")
        size, begin = second & 0x7F, 2
        if size == 126:
            if len(buffer) < 4:
                return None
            (size,), begin = struct.unpack_from("!H", buffer, 2), 4
        elif size == 127:
            if len(buffer) < 10:
                return None
            (size,), begin = struct.unpack_from("!Q", buffer, 2), 10
        if size > 4 * MAX_LINE:
            raise ConnectionLost(f"the gateway sent a message of {size} bytes")
        if len(buffer) < begin + size:
            return None
        content = bytes(buffer[begin : begin + size])
        del buffer[: begin + size]
        return first & 0x0F, bool(first & 0x80), content

    def _take(self, kind: int, last: bool, content: bytes) -> bytes | None:
        if kind == PING:
            self.replies += frame(PONG, content)
        elif kind == CLOSE:
            self.replies += frame(CLOSE, content[:2])
            code = struct.unpack("!H", content[:2])[0] if len(content) >= 2 else 1005
            words = content[2:].decode("utf-8", "replace")
            self.closed = (
                f"the gateway closed the connection ({code}{': ' + words if words else ''})"
            )
        elif kind in (0, TEXT, BINARY):
            self._pieces.append(content)
            self._size += len(content)
            if self._size > 4 * MAX_LINE:
                raise ConnectionLost("the gateway sent a message that is too long")
            if last:
                message = b"".join(self._pieces)
                self._pieces.clear()
                self._size = 0
                return message
        elif kind != PONG:
            raise ConnectionLost(f"the gateway sent a frame of the unknown kind {kind}")
        return None


def frame(kind: int, content: bytes) -> bytes:
    """One frame of a client: masked, as the standard wants it."""
    size = len(content)
    if size < 126:
        head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
    elif size < 65536:
        head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
    mask = os.urandom(4)
    return head + mask + masked(content, mask)


def masked(content: bytes, mask: bytes) -> bytes:
    """Each byte combined with that of the mask, as one long number: a loop would be slow."""
    size = len(content)
    long_mask = (mask * (size // 4 + 1))[:size]
    number = int.from_bytes(content, "little") ^ int.from_bytes(long_mask, "little")
    return number.to_bytes(size, "little")


def _refusal(status: list[str], body: bytes) -> TalariaError:
    words = body.decode("utf-8", "replace")[:500]
    with contextlib.suppress(ValueError, KeyError, TypeError):
        words = str(json.loads(body)["error"])
    message = f"the gateway answered {' '.join(status[1:])}: {words}".rstrip(": ")
    code = status[1]
    if code in ("401", "403"):
        return Denied(f"{message}. Check the token")
    if code == "404":
        return NotFound(f"{message}. Is it a gateway with /v1/lines?")
    if code == "429":
        return LimitReached(message)
    return Refused(message)
