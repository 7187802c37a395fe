"""What remains when a program, an interpreter, a thread or a process ends, and what does not."""

from __future__ import annotations

import gc
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time

import pytest

from talaria import ConnectionLost, Talaria
from talaria._local import LocalLink

from .conftest import World, eventually


def program_of(t: Talaria) -> int:
    link = t._channel.connection.link  # pyright: ignore[reportPrivateUsage]
    assert isinstance(link, LocalLink)
    return link.pid


def test_a_program_that_was_killed_is_started_again(t: Talaria) -> None:
    t.run("cd /usr; export X=still")
    process = t.start("sleep 100")
    before = program_of(t)
    timer = threading.Timer(0.5, os.kill, (before, signal.SIGKILL))
    timer.start()
    with pytest.raises(ConnectionLost, match="killed by signal 9"):
        t.run("sleep 100")
    assert t.run("echo $X in $PWD").stdout == "still in /usr\n"
    assert program_of(t) != before
    assert process.refresh().running
    process.kill()


def test_every_call_under_way_fails_when_the_program_dies(t: Talaria) -> None:
    t.run("true")
    errors: list[BaseException] = []

    def one() -> None:
        try:
            t.run("sleep 100")
        except ConnectionLost as error:
            errors.append(error)

    threads = [threading.Thread(target=one) for _ in range(10)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    os.kill(program_of(t), signal.SIGKILL)
    for thread in threads:
        thread.join(20)
    assert len(errors) == 10


def test_a_program_that_cannot_start_says_why(world: World) -> None:
    with (
        Talaria(program="/bin/false") as t,
        pytest.raises(ConnectionLost, match="/bin/false ended"),
    ):
        t.run("true")


def test_a_closed_client_says_so(world: World) -> None:
    t = Talaria()
    assert t.run("echo x").stdout == "x\n"
    program = program_of(t)
    t.close()
    t.close()
    assert not os.path.exists(f"/proc/{program}")
    with pytest.raises(ConnectionLost, match="closed"):
        t.run("true")


def test_closing_ends_what_runs(world: World) -> None:
    t = Talaria()
    t.run("true")
    ends: list[bool] = []

    def one() -> None:
        try:
            ends.append(t.run("sleep 987.7").interrupted)
        except ConnectionLost:
            ends.append(True)

    thread = threading.Thread(target=one)
    thread.start()
    eventually(lambda: world.has("sleep 987.7"))
    t.close()
    thread.join(10)
    assert ends == [True]
    assert not world.has("sleep 987.7")


def test_the_session_of_a_client_ends_with_it(world: World) -> None:
    with Talaria() as t:
        process = t.start("sleep 987.8")
        assert process.info.running
    eventually(lambda: not world.has("sleep 987.8"))


EXITS = {
    "a command in a thread": """
import threading, time
from talaria import Talaria
t = Talaria()
t.run("true")
threading.excepthook = lambda _: None  # the thread is told that its client has gone
threading.Thread(target=lambda: t.run("sleep 986.1"), daemon=True).start()
time.sleep(1)
""",
    "a process in the background": """
from talaria import Talaria
t = Talaria()
t.start("sleep 986.1")
""",
    "a stream that was left": """
from talaria import Talaria
t = Talaria()
for chunk in t.stream("echo begun; sleep 986.1"): break
""",
    "an exception": """
from talaria import Talaria
t = Talaria()
t.start("sleep 986.1")
raise SystemExit(0)
""",
    "an asynchronous client": """
import asyncio
from talaria import AsyncTalaria
async def main():
    global t
    t = AsyncTalaria()
    await t.start("sleep 986.1")
    asyncio.ensure_future(t.run("sleep 986.1"))
    await asyncio.sleep(1)
asyncio.run(main())
""",
    "its own process killed": """
import os, threading, time
from talaria import Talaria
t = Talaria()
t.run("true")
threading.Thread(target=lambda: t.run("sleep 986.1"), daemon=True).start()
time.sleep(1)
os.kill(os.getpid(), 9)
""",
}


@pytest.mark.parametrize("code", EXITS.values(), ids=EXITS.keys())
def test_an_interpreter_that_ends_leaves_nothing(own_world: World, code: str) -> None:
    done = own_world.python(code)
    assert done.returncode in (0, -9), done.stderr
    assert done.stderr == ""
    eventually(lambda: not own_world.processes())


def test_a_client_that_nothing_holds_ends(world: World) -> None:
    task = Talaria().task("py-held")  # holds its connection
    assert task.run("echo x").ok
    link = task._channel.connection.link  # pyright: ignore[reportPrivateUsage]
    assert isinstance(link, LocalLink)
    program = link.pid
    gc.collect()
    assert task.run("echo still").ok
    del task, link
    gc.collect()
    eventually(lambda: not os.path.exists(f"/proc/{program}"))


def test_exiting_is_quick(own_world: World) -> None:
    begin = time.monotonic()
    done = own_world.python("from talaria import Talaria; t = Talaria(); print(t.run('echo x').ok)")
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert time.monotonic() - begin < 10


CTRL_C = """
import sys, time
from talaria import Talaria
t = Talaria()
t.run("true")
print("ready", flush=True)
try:
    t.run("echo $$; sleep 986.2")
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("then", t.run("echo still here").stdout, flush=True)
"""


def test_ctrl_c_at_a_terminal_ends_the_command(own_world: World) -> None:
    child, master = pty.fork()
    if child == 0:  # nothing of Python's here: threads of the parent may have held its locks
        os.execve(sys.executable, [sys.executable, "-c", CTRL_C], own_world.environment)
    seen = b""

    def read_until(word: bytes) -> None:
        nonlocal seen
        until = time.monotonic() + 20
        while word not in seen:
            assert time.monotonic() < until, seen
            if select.select([master], [], [], 0.1)[0]:
                try:
                    seen += os.read(master, 4096)
                except OSError:  # it has ended
                    raise AssertionError(seen) from None

    try:
        read_until(b"ready")
        eventually(lambda: own_world.has("sleep 986.2"))
        os.write(master, b"\x03")
        read_until(b"interrupted")
        assert not own_world.has("sleep 986.2")
        read_until(b"still here")
    finally:
        os.waitpid(child, 0)
        os.close(master)


FORK = """
import os, sys, warnings
warnings.simplefilter("ignore")  # Python 3.12 warns of every fork beside a thread
from talaria import Talaria
t = Talaria()
t.run("cd /usr; export WHO=parent")
parent = t.run("echo $PPID").stdout
child = os.fork()
if child == 0:
    with t:
        assert t.run("echo [$WHO]").stdout == "[]\\n", "the child has a session of its own"
        t.run("cd /tmp; export WHO=child")
        print(t.run("echo $WHO").stdout, end="", flush=True)
    HOW
pid, status = os.waitpid(child, 0)
assert status == 0, status
print(t.run("echo $WHO in $PWD").stdout, end="")
t.close()
"""


@pytest.mark.parametrize("how", ["os._exit(0)", "sys.exit(0)"])
def test_a_forked_child_has_a_connection_of_its_own(own_world: World, how: str) -> None:
    done = own_world.python(FORK.replace("HOW", how))
    assert done.stderr == ""
    assert done.stdout == "child\nparent in /usr\n"


def test_a_forked_child_does_not_hold_the_parents_program(own_world: World) -> None:
    code = """
import os, time
from talaria import Talaria
t = Talaria()
t.run("true")
if os.fork() == 0:
    time.sleep(30)
    os._exit(0)
print(t._channel.connection.link.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.Popen(
        [sys.executable, "-c", code], env=own_world.environment, stdout=subprocess.PIPE, text=True
    )
    assert done.stdout is not None
    program = int(done.stdout.readline())
    done.wait(20)
    done.stdout.close()
    eventually(lambda: not os.path.exists(f"/proc/{program}"))
    for pid, line in own_world.processes().items():
        if "time.sleep(30)" in line:
            os.kill(pid, signal.SIGKILL)


def test_a_pool_of_processes(own_world: World) -> None:
    code = """
import multiprocessing
from talaria import Talaria
t = Talaria()
t.run("true")
def work(number):
    return t.run(f"echo {number}").stdout.strip()
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(work, range(12)) == [str(n) for n in range(12)]
    print(t.run("echo parent").stdout, end="")
"""
    done = own_world.python(code)
    assert (done.stdout, done.stderr) == ("parent\n", "")
    eventually(lambda: not own_world.processes())


def test_threads_share_a_client(t: Talaria) -> None:
    wrong: list[str] = []

    def work(number: int) -> None:
        for turn in range(10):
            word = f"{number}-{turn}"
            if t.task(f"thread-{number}").run(f"echo {word}").stdout != word + "\n":
                wrong.append(word)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []


def test_in_a_loop_that_runs(own_world: World) -> None:
    """As in a notebook, whose cells run in a coroutine."""
    code = """
import asyncio
from talaria import AsyncTalaria, Talaria
async def cell():
    with Talaria() as t:
        print(t.run("echo sync").stdout, end="")
    async with AsyncTalaria() as a:
        print((await a.run("echo async")).stdout, end="")
asyncio.run(cell())
"""
    done = own_world.python(code)
    assert (done.stdout, done.stderr) == ("sync\nasync\n", "")
