"""The protocol core: lines in, lines out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from talaria import ApprovalPending, BadRequest, Denied, InfrastructureError, LimitReached
from talaria._protocol import MAX_LINE, Answer, Event, Part, Protocol, Stray
from talaria.errors import from_wire


def sent(line: bytes) -> dict[str, Any]:
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line)


def test_requests_have_ids_of_their_own() -> None:
    protocol = Protocol()
    first, line = protocol.request({"method": "a", "params": {}})
    second, _ = protocol.request({"tool": "b"})
    assert sent(line) == {"id": first, "method": "a", "params": {}}
    assert first != second


def test_a_new_connection_continues_the_ids() -> None:
    protocol = Protocol()
    number, _ = protocol.request({"method": "a"})
    assert Protocol(protocol.next_id).request({"method": "a"})[0] == number + 1


def test_lines_may_arrive_in_any_pieces() -> None:
    line = '{"id":1,"result":{"text":"å"}}\n{"event":{"type":"x"}}\n'.encode()
    for size in range(1, len(line) + 1):
        protocol = Protocol()
        protocol.request({"method": "a"})
        messages = [
            message
            for at in range(0, len(line), size)
            for message in protocol.receive(line[at : at + size])
        ]
        assert messages == [Answer(1, {"text": "å"}, None), Event({"type": "x"})]


def test_parts_come_before_the_answer() -> None:
    protocol = Protocol()
    number, _ = protocol.request({"method": "exec"})
    lines = f'{{"id":{number},"part":{{"a":1}}}}\n{{"id":{number},"result":{{}}}}\n'
    assert protocol.receive(lines.encode()) == [Part(number, {"a": 1}), Answer(number, {}, None)]
    (after,) = protocol.receive(f'{{"id":{number},"part":{{}}}}\n'.encode())
    assert isinstance(after, Stray)


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense\n",
        b"[1]\n",
        b'"x"\n',
        b'{"id":99,"result":{}}\n',
        b'{"id":"1","result":{}}\n',
        b'{"id":null,"error":{"kind":"bad_request","message":"line 1: x"}}\n',
        b'{"id":1}\n',
        b'{"id":1,"result":7}\n',
        b"{}\n",
        b"[" * 100000 + b"\n",
        b"\xff\xfe\n",
    ],
)
def test_lines_that_fit_nothing_change_nothing(line: bytes) -> None:
    protocol = Protocol()
    number, _ = protocol.request({"method": "a"})
    (stray,) = protocol.receive(line)
    assert isinstance(stray, Stray)
    assert protocol.receive(b'{"id":1,"result":{}}\n') == [Answer(number, {}, None)]


def test_empty_lines_are_ignored() -> None:
    assert Protocol().receive(b"\n \n\r\n") == []


def test_a_cancel_is_a_request_whose_answer_is_dropped() -> None:
    protocol = Protocol()
    number, _ = protocol.request({"method": "a"})
    lines = protocol.cancel(number)
    assert lines is not None
    cancel, more = (json.loads(line) for line in lines.splitlines())
    assert cancel["cancel"] == number
    assert more["params"]["request"] == number, "what was printed finds room"
    for one in (cancel, more):
        assert protocol.receive(f'{{"id":{one["id"]},"result":{{}}}}\n'.encode()) == []
    protocol.receive(f'{{"id":{number},"result":{{}}}}\n'.encode())
    assert protocol.cancel(number) is None


def test_half_of_a_window_is_given_back_at_a_time() -> None:
    protocol = Protocol()
    number, _ = protocol.request({"method": "exec"})
    assert protocol.consumed(number, 400, 1000) is None
    line = protocol.consumed(number, 100, 1000)
    assert line is not None
    assert sent(line)["params"] == {"request": number, "bytes": 500}
    assert protocol.consumed(number, 400, 1000) is None
    protocol.receive(f'{{"id":{number},"result":{{}}}}\n'.encode())
    assert protocol.consumed(number, 900, 1000) is None


def test_a_lost_connection_names_what_was_open() -> None:
    protocol = Protocol()
    first, _ = protocol.request({"method": "a"})
    second, _ = protocol.request({"method": "b"})
    protocol.receive(f'{{"id":{first},"result":{{}}}}\n{{"id":{second},"res'.encode())
    assert protocol.lost() == [second]
    assert protocol.lost() == []


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), b"bytes", object()])
def test_what_is_not_json_is_refused_before_it_is_sent(value: object) -> None:
    protocol = Protocol()
    with pytest.raises(BadRequest, match="cannot be written as JSON"):
        protocol.request({"method": "a", "params": {"x": value}})
    assert protocol.request({"method": "a"})[0] == 1


def test_a_line_that_is_too_long_is_refused_before_it_is_sent() -> None:
    with pytest.raises(LimitReached, match="upload"):
        Protocol().request({"x": "y" * MAX_LINE})


def test_an_endless_line_is_not_collected() -> None:
    protocol = Protocol()
    piece = b"x" * (32 * 1024 * 1024)
    for _ in range(8):
        protocol.receive(piece)
    with pytest.raises(LimitReached):
        protocol.receive(piece)


def test_surrogates_survive_the_way_out() -> None:
    _, line = Protocol().request({"x": "\udcff"})
    assert line.isascii()


def test_denials_are_described() -> None:
    denial = {
        "by": "person",
        "rule": "rm",
        "rules": ["rm", "root"],
        "description": "recursive delete",
        "approval": "appr_1",
        "words": "not today",
    }
    error = from_wire({"kind": "denied", "message": "no", "reason": "declined", "denial": denial})
    assert type(error) is Denied
    assert (error.by, error.rule, error.rules) == ("person", "rm", ("rm", "root"))
    assert (error.approval_id, error.words, error.reason) == ("appr_1", "not today", "declined")
    pending = from_wire(
        {"kind": "denied", "message": "wait", "reason": "pending", "denial": denial}
    )
    assert isinstance(pending, ApprovalPending)


def test_an_unknown_kind_is_the_machinery() -> None:
    error = from_wire({"kind": "new_kind", "message": "x"})
    assert type(error) is InfrastructureError
    assert error.kind == "new_kind"
