"""Background processes."""

from __future__ import annotations

import pytest

from talaria import NotFound, Talaria

from .conftest import World, eventually


def test_output_is_read_by_cursor(t: Talaria) -> None:
    process = t.start("echo one; echo two; exit 3")
    info = process.wait(timeout=20)
    assert (info.running, info.end, info.exit_code) == (False, "exited", 3)
    first = process.read(max_bytes=4)
    assert (first.data, first.start, first.next) == ("one\n", 0, 4)
    rest = process.read()
    assert (rest.data, rest.eof) == ("two\n", True)
    assert process.read(0).data == "one\ntwo\n"
    assert process.cursor == 8


def test_following(t: Talaria) -> None:
    process = t.start("for i in 1 2 3; do echo $i; sleep 0.2; done")
    assert "".join(one.data for one in process.follow()) == "1\n2\n3\n"
    assert process.wait(20).exit_code == 0


def test_following_can_be_left(t: Talaria) -> None:
    process = t.start("while :; do echo tick; sleep 0.1; done")
    with process.follow() as output:
        assert "tick" in next(iter(output)).data
    assert process.refresh().running
    assert process.kill() == ()
    assert process.refresh().end == "killed"


def test_input(t: Talaria) -> None:
    process = t.start(["cat"], stdin=True)
    process.write("hello\n")
    eventually(lambda: "hello" in process.read(0).data)
    process.write(b"\xff\xfe")
    process.close_input()
    assert process.wait(20).exit_code == 0
    assert process.read(0, raw=True).raw == b"hello\n\xff\xfe"


def test_a_terminal(t: Talaria) -> None:
    process = t.start(
        "stty size; trap 'stty size' WINCH; echo ready; while :; do sleep 0.1; done",
        terminal=(20, 60),
    )
    eventually(lambda: "ready" in process.read(0).data)
    assert process.info.terminal is not None
    assert process.info.terminal.cols == 60
    process.resize(33, 77)
    eventually(lambda: "33 77" in process.read(0).data)
    screen = process.screen()
    assert (screen.rows, screen.cols) == (33, 77)
    assert "20 60" in screen.text
    process.signal("KILL")
    assert not process.wait(20).running


def test_waiting_has_a_limit(t: Talaria) -> None:
    process = t.start("sleep 100")
    assert process.wait(timeout=0.2).running
    process.kill()


def test_a_process_is_found_again(t: Talaria) -> None:
    process = t.start("sleep 100")
    with Talaria() as other:
        same = other.process(process.id)
        assert same.info.command == "sleep 100"
        same.signal("TERM")
        assert not same.wait(20).running
    with pytest.raises(NotFound):
        t.process("proc_000000000000")
    with pytest.raises(NotFound):
        t.process("nonsense")


def test_lists(t: Talaria, world: World) -> None:
    task = t.task("py-lists")
    one, two = task.start("sleep 987.4"), task.start(["sleep", "987.5"])
    assert {p.id for p in task.processes()} == {one.id, two.id}
    assert task.kill_all() == 2
    assert task.processes() == []
    assert {p.id for p in task.processes(all=True)} >= {one.id, two.id}
    eventually(lambda: not world.has("sleep 987.4"))
    task.close()


def test_events(t: Talaria) -> None:
    with t.events(consumer="py-test", start="now") as events:
        with pytest.raises(TimeoutError):
            events.next(timeout=0.1)
        process = t.start("echo done; exit 5", notify=True)
        event = events.next(timeout=20)
        assert (event.type, event.process, event.exit_code) == ("completion", process.id, 5)
        assert "done" in event.output
        watched = t.start("echo the word; sleep 50", watch=["the word"])
        assert events.next(timeout=20).type == "watch_match"
        watched.kill()
