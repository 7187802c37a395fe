"""Output as it comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from talaria import AsyncTalaria, BadRequest, ConnectionLost, Talaria

from .conftest import World, eventually


def test_chunks_come_before_the_end(t: Talaria) -> None:
    begin = time.monotonic()
    stream = t.stream("echo one; sleep 2; echo two >&2")
    first = next(iter(stream))
    assert (first.stream, first.data) == ("stdout", "one\n")
    assert time.monotonic() - begin < 1.9
    rest = list(stream)
    assert "".join(one.data for one in rest if one.stream == "stderr") == "two\n"
    assert stream.result.exit_code == 0


SLOW = """
import sys
for number in range(400):
    sys.stdout.write("x" * 65536)
    sys.stdout.flush()
    open("written", "w").write(str(number))
"""


def test_a_slow_consumer_holds_up_the_command(t: Talaria, world: World) -> None:
    """What the command could write is bounded by the window and the pipes on the way, not by it."""
    work = world.root / "work"
    mark = work / "written"
    (work / "slow.py").write_text(SLOW)
    stream = t.stream("python3 slow.py", cwd=str(work), window=65536)
    size = len(next(iter(stream)).data)
    time.sleep(1.0)
    held_up = int(mark.read_text() or 0)
    assert held_up < 100
    time.sleep(0.5)
    assert int(mark.read_text() or 0) == held_up
    assert t.run("echo others run").ok
    size += sum(len(chunk.data) for chunk in stream)
    assert size == 400 * 65536
    assert stream.result.ok


def test_every_byte_arrives(t: Talaria) -> None:
    command = "head -c 5000000 /dev/urandom | tee sum.bin"
    data = b"".join(chunk.raw for chunk in t.stream(command, raw=True))
    assert data == t.files.read("sum.bin")
    assert len(data) == 5000000


def test_characters_are_not_split(t: Talaria) -> None:
    text = "".join(
        chunk.data for chunk in t.stream("for i in $(seq 20000); do printf 'ü€😀'; done")
    )
    assert text == "ü€😀" * 20000


def test_input_while_it_runs(t: Talaria) -> None:
    with t.stream("sed -u 's/^/got /'; echo end", stdin=True) as stream:
        chunks = iter(stream)
        for word in ("one", "two"):
            assert stream.write(word + "\n")
            assert next(chunks).data == f"got {word}\n"
        stream.close_input()
        assert "".join(one.data for one in chunks) == "end\n"
    assert stream.result.ok


def test_input_to_a_command_that_takes_none(t: Talaria) -> None:
    with t.stream("exec <&-; echo closed; sleep 0.5", stdin=True) as stream:
        assert next(iter(stream)).data == "closed\n"
        taken = [stream.write(b"x" * 100000) for _ in range(30)]
        assert False in taken
        stream.wait()


def test_a_stream_that_is_left_ends_its_command(t: Talaria, world: World) -> None:
    with t.stream("echo begin; sleep 987.2") as stream:
        assert next(iter(stream)).data == "begin\n"
        eventually(lambda: world.has("sleep 987.2"))
    assert not world.has("sleep 987.2")
    for _ in t.stream("echo begin; sleep 987.3"):
        break
    eventually(lambda: not world.has("sleep 987.3"))


def test_cancelling_from_another_thread(t: Talaria) -> None:
    stream = t.stream("echo begin; sleep 100")
    threading.Timer(0.5, stream.cancel).start()
    assert "".join(one.data for one in stream) == "begin\n"
    assert stream.result.interrupted
    assert stream.result.exit_code == 130


def test_a_timeout(t: Talaria) -> None:
    stream = t.stream("echo begin; sleep 100", timeout=0.5)
    assert "".join(one.data for one in stream) == "begin\n"
    assert stream.result.timed_out


def test_the_result_comes_last(t: Talaria) -> None:
    stream = t.stream("echo x")
    with pytest.raises(RuntimeError, match="has not ended"):
        _ = stream.result
    assert stream.wait().ok
    assert list(stream) == []


def test_errors_come_with_the_first_chunk(t: Talaria) -> None:
    with pytest.raises(BadRequest):
        list(t.stream("true", timeout="never"))


def test_asynchronous(run: Callable[[Any], Any]) -> None:
    async def work() -> None:
        async with AsyncTalaria() as t:
            async with t.stream("cat", stdin=True) as stream:
                await stream.write("abc")
                await stream.close_input()
                assert [chunk.data async for chunk in stream] == ["abc"]
            assert stream.result.ok
            left = t.stream("sleep 100")
            await t.close()
            assert (await left.wait()).interrupted
            with pytest.raises(ConnectionLost):
                t.stream("true")

    run(work())
