"""The WebSocket: bytes in, messages and replies out."""

from __future__ import annotations

import base64
import hashlib
import os
import struct

import pytest

from talaria import BadRequest, ConnectionLost, Denied, LimitReached, NotFound, Unavailable
from talaria._gateway import Address
from talaria._websocket import CLOSE, PING, PONG, TEXT, WebSocket, frame, masked


def server_frame(kind: int, content: bytes, *, last: bool = True) -> bytes:
    first = (0x80 if last else 0) | kind
    if len(content) < 126:
        return struct.pack("!BB", first, len(content)) + content
    if len(content) < 65536:
        return struct.pack("!BBH", first, 126, len(content)) + content
    return struct.pack("!BBQ", first, 127, len(content)) + content


def accepting(socket: WebSocket) -> bytes:
    request = socket.begin().decode()
    key = next(line for line in request.split("\r\n") if line.startswith("Sec-WebSocket-Key"))
    digest = hashlib.sha1((key.split(": ")[1] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode())
    accept = base64.b64encode(digest.digest()).decode()
    return (
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: p\r\n\r\n"
    ).encode()


def new() -> WebSocket:
    return WebSocket("host:1", "/path", "p", {"Authorization": "Bearer x"})


def opened() -> WebSocket:
    socket = new()
    assert socket.receive(accepting(socket)) == []
    assert socket.open
    return socket


def unmask(data: bytes) -> tuple[int, bytes]:
    size, begin = data[1] & 0x7F, 2
    if size == 126:
        size, begin = struct.unpack_from("!H", data, 2)[0], 4
    elif size == 127:
        size, begin = struct.unpack_from("!Q", data, 2)[0], 10
    assert data[1] & 0x80, "a client's frames are masked"
    mask, content = data[begin : begin + 4], data[begin + 4 :]
    assert len(content) == size
    return data[0], bytes(b ^ mask[i % 4] for i, b in enumerate(content))


def test_the_request_has_what_the_standard_wants() -> None:
    lines = new().begin().decode().split("\r\n")
    assert lines[0] == "GET /path HTTP/1.1"
    for line in ("Host: host:1", "Upgrade: websocket", "Sec-WebSocket-Version: 13"):
        assert line in lines
    assert "Authorization: Bearer x" in lines
    assert lines[-2:] == ["", ""]


@pytest.mark.parametrize("size", [0, 1, 3, 125, 126, 65535, 65536, 70001])
def test_messages_of_every_length(size: int) -> None:
    content = os.urandom(size)
    first, found = unmask(frame(TEXT, content))
    assert first == 0x80 | TEXT
    assert found == content
    assert opened().receive(server_frame(TEXT, content)) == [content]


def test_the_mask_of_the_standards_example() -> None:
    assert masked(b"Hello", bytes.fromhex("37fa213d")) == bytes.fromhex("7f9f4d5158")


def test_bytes_may_arrive_in_any_pieces() -> None:
    reference = opened()
    data = server_frame(TEXT, b"one") + server_frame(TEXT, b"x" * 300) + server_frame(TEXT, b"")
    expected = reference.receive(data)
    for size in (1, 2, 7, 299):
        socket = new()
        whole = accepting(socket) + data
        found = [
            m for at in range(0, len(whole), size) for m in socket.receive(whole[at : at + size])
        ]
        assert found == expected == [b"one", b"x" * 300, b""]


def test_a_message_in_several_frames_with_a_ping_between() -> None:
    socket = opened()
    assert socket.receive(server_frame(TEXT, b"one ", last=False)) == []
    assert socket.receive(server_frame(PING, b"there?")) == []
    assert unmask(bytes(socket.replies)) == (0x80 | PONG, b"there?")
    assert socket.receive(server_frame(0, b"two")) == [b"one two"]


def test_closing_is_answered() -> None:
    socket = opened()
    socket.receive(server_frame(CLOSE, struct.pack("!H", 1001) + b"restart"))
    assert socket.closed is not None
    assert "1001" in socket.closed
    assert "restart" in socket.closed
    assert unmask(bytes(socket.replies)) == (0x80 | CLOSE, struct.pack("!H", 1001))


@pytest.mark.parametrize(
    "data",
    [b"\xf1\x00", b"\x81\x80aaaa", b"\x83\x00", b"\x81\x7f" + b"\x7f" * 8],
    ids=["reserved bits", "masked", "unknown kind", "huge"],
)
def test_invalid_frames_end_the_connection(data: bytes) -> None:
    with pytest.raises(ConnectionLost):
        opened().receive(data)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("401 Unauthorized", Denied),
        ("403 Forbidden", Denied),
        ("404 Not Found", NotFound),
        ("429 Too Many Requests", LimitReached),
        ("503 Service Unavailable", Unavailable),
        ("200 OK", Unavailable),
    ],
)
def test_refusals_have_types_and_say_why(status: str, error: type[Exception]) -> None:
    body = '{"error": "because of this"}'
    answer = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    socket = new()
    assert socket.receive(answer[:-5]) == []
    with pytest.raises(error, match="because of this"):
        socket.receive(answer[-5:])


@pytest.mark.parametrize(
    ("old", "new_text"), [(b"Accept: ", b"Accept: x"), (b"Protocol: p", b"Protocol: q")]
)
def test_an_answer_of_somebody_else_is_refused(old: bytes, new_text: bytes) -> None:
    socket = new()
    with pytest.raises(Unavailable):
        socket.receive(accepting(socket).replace(old, new_text))


def test_what_is_not_http_is_refused() -> None:
    with pytest.raises(Unavailable):
        new().receive(b"SSH-2.0-x\r\n\r\n")
    with pytest.raises(Unavailable):
        new().receive(b"x" * 100000)


@pytest.mark.parametrize(
    ("url", "shown", "path"),
    [
        ("https://host", "https://host:443", "/v1/lines"),
        ("http://127.0.0.1:8642/", "http://127.0.0.1:8642", "/v1/lines"),
        ("wss://[::1]:9/prefix", "https://::1:9", "/prefix/v1/lines"),
    ],
)
def test_urls(url: str, shown: str, path: str) -> None:
    address = Address.parse(url, "token", None, 1)
    assert str(address) == shown
    assert address.path == path
    assert "token" not in repr(address)


@pytest.mark.parametrize("url", ["host:1", "ftp://host", "https://", "https://host:x", ""])
def test_urls_that_are_none(url: str) -> None:
    with pytest.raises(BadRequest):
        Address.parse(url, "token", None, 1)


@pytest.mark.parametrize("token", ["", "a\r\nHost: b", "ü"])
def test_tokens_that_are_none(token: str) -> None:
    with pytest.raises(BadRequest, match="token"):
        Address.parse("https://host", token, None, 1)
