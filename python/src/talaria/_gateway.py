"""A link to a gateway: lines as text messages of a WebSocket."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ._link import Link, Lost, Receive
from ._websocket import CLOSE, PING, WebSocket, frame
from .errors import BadRequest, TalariaError, Unavailable

if TYPE_CHECKING:
    import ssl

PATH = "/v1/lines"
SUBPROTOCOL = "talaria.lines.1"
_QUIET = 20.0  # seconds without a byte, after which we ask; as many again, and it is lost


@dataclass(frozen=True)
class Address:
    """Where a gateway is, and how to enter."""

    host: str
    port: int
    tls: bool
    path: str
    token: str = field(repr=False)
    ca: str | None
    timeout: float

    @classmethod
    def parse(cls, url: str, token: str, ca: str | None, timeout: float) -> Address:
        """The address for a URL. Raises BadRequest."""
        parts = urlsplit(url)
        tls = parts.scheme in ("https", "wss")
        if not (tls or parts.scheme in ("http", "ws")) or not parts.hostname:
            raise BadRequest(f"{url!r} is not the URL of a gateway; write https://host:port")
        if not token or not token.isascii() or not token.isprintable():
            raise BadRequest("the token is empty or has characters that no token has")
        try:
            port = parts.port or (443 if tls else 80)
        except ValueError:
            raise BadRequest(f"{url!r} has an invalid port") from None
        return cls(parts.hostname, port, tls, parts.path.rstrip("/") + PATH, token, ca, timeout)

    def __str__(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"

    def context(self) -> ssl.SSLContext | None:
        """What TLS is checked with."""
        if not self.tls:
            return None
        import ssl

        return ssl.create_default_context(cafile=self.ca)

    def web_socket(self) -> WebSocket:
        host = f"[{self.host}]" if ":" in self.host else self.host
        headers = {"Authorization": f"Bearer {self.token}"}
        return WebSocket(f"{host}:{self.port}", self.path, SUBPROTOCOL, headers)


class GatewayLink(Link, asyncio.Protocol):
    """A WebSocket. What is written before it is open waits."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, receive: Receive, lost: Lost, address: Address
    ) -> None:
        super().__init__(loop, receive, lost)
        self._address = address
        self._socket = address.web_socket()
        self._transport: asyncio.Transport | None = None
        self._waiting: list[bytes] = []
        self._lock = threading.Lock()
        self._heard = 0.0
        self._ended = threading.Event()
        self._connecting: asyncio.Task[None] | None = None
        self._watch: asyncio.TimerHandle | None = None

    def open(self) -> None:
        self._soon(self._begin)

    def write(self, data: bytes) -> None:
        with self._lock:
            first = not self._waiting
            self._waiting.append(data)
        if first:
            self._soon(self._flush)

    def end(self) -> None:
        if not self.loop.is_running():
            return
        self._soon(self._close)
        if self._is_here():
            return
        self._ended.wait(2.0)

    def abandon(self) -> None:
        self._lost = None
        sock = self._transport.get_extra_info("socket") if self._transport is not None else None
        if sock is not None:
            import os

            os.close(sock.fileno())

    def finish(self, lines: Sequence[bytes]) -> None:
        address = self._address
        until = time.monotonic() + address.timeout
        plain = socket.create_connection((address.host, address.port), timeout=address.timeout)
        context = address.context()
        stream = context.wrap_socket(plain, server_hostname=address.host) if context else plain
        with stream:
            stream.sendall(self._socket.begin())
            sent = answers = 0
            while answers < len(lines) and time.monotonic() < until:
                data = stream.recv(65536)
                if not data:
                    return
                answers += len(self._socket.receive(data))
                if self._socket.open and not sent:
                    stream.sendall(b"".join(_messages(line) for line in lines))
                    sent = 1
            stream.sendall(frame(CLOSE, b"\x03\xe8"))

    def _begin(self) -> None:
        self._connecting = self.loop.create_task(self._connect())

    async def _connect(self) -> None:
        address = self._address
        try:
            await asyncio.wait_for(
                self.loop.create_connection(
                    lambda: self, address.host, address.port, ssl=address.context()
                ),
                address.timeout,
            )
        except asyncio.TimeoutError:
            self._unreachable(f"no answer within {address.timeout:g} s")
        except OSError as error:  # certificates, too
            self._unreachable(error.strerror or str(error))

    def _unreachable(self, why: str) -> None:
        reason = f"cannot connect to {self._address}: {why}. Nothing was started"
        self._lose(reason, Unavailable(reason))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._heard = time.monotonic()
        transport.write(self._socket.begin())
        self._watch = self.loop.call_later(self._address.timeout, self._on_quiet)

    def data_received(self, data: bytes) -> None:
        self._heard = time.monotonic()
        try:
            was_open = self._socket.open
            messages = self._socket.receive(data)
        except TalariaError as error:
            self._lose(str(error), error)
            return
        if self._socket.open and not was_open:
            self._flush()
        for message in messages:
            self.receive(message + b"\n")
        if self._socket.replies and self._transport is not None:
            self._transport.write(bytes(self._socket.replies))
            self._socket.replies.clear()
        if self._socket.closed is not None:
            self._lose(self._socket.closed)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lose(f"the connection to {self._address} was lost" + (f": {exc}" if exc else ""))

    def _flush(self) -> None:
        if self._transport is None or not self._socket.open:
            return
        with self._lock:
            lines, self._waiting = self._waiting, []
        for line in lines:
            self._transport.write(_messages(line))

    def _on_quiet(self) -> None:
        """Finds out whether a gateway that says nothing is still there."""
        if self._transport is None:
            return
        quiet = time.monotonic() - self._heard
        if not self._socket.open or quiet > 2 * _QUIET:
            self._lose(f"{self._address} does not answer")
            return
        if quiet > _QUIET - 1:
            self._transport.write(frame(PING, b""))
        self._watch = self.loop.call_later(_QUIET, self._on_quiet)

    def _close(self) -> None:
        if self._transport is not None and self._socket.open:
            self._transport.write(frame(CLOSE, b"\x03\xe8"))
        self._lose("the client was closed")

    def _lose(self, reason: str, error: TalariaError | None = None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        connecting = self._connecting
        if connecting is not None and connecting is not asyncio.current_task(self.loop):
            connecting.cancel()
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()
        self._ended.set()
        self.lose(reason, error)

    def _soon(self, what: Callable[[], None]) -> None:
        if self._is_here():
            what()
        else:
            self.loop.call_soon_threadsafe(what)

    def _is_here(self) -> bool:
        """Whether this is the thread of the loop."""
        try:
            return asyncio.get_running_loop() is self.loop
        except RuntimeError:
            return False


def _messages(lines: bytes) -> bytes:
    """Complete lines, as a message each."""
    return b"".join(WebSocket.text(line) for line in lines.rstrip(b"\n").split(b"\n"))
