"""What only asynchronous clients have: cancellation, many at once, loops."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from talaria import AsyncTalaria, BadRequest, CommandFailed, NotFound

from .conftest import World

Run = Callable[[Any], Any]


def test_a_task_that_is_cancelled_ends_its_command_first(run: Run, world: World) -> None:
    async def work() -> None:
        async with AsyncTalaria() as t:
            task = asyncio.ensure_future(t.run("sleep 985.1"))
            while not world.has("sleep 985.1"):
                await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not world.has("sleep 985.1")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(t.run("sleep 985.2"), 0.5)
            assert not world.has("sleep 985.2")
            assert (await t.run("echo fine")).stdout == "fine\n"

    run(work())


def test_a_stream_that_is_cancelled(run: Run, world: World) -> None:
    async def work() -> None:
        async with AsyncTalaria() as t:

            async def read() -> None:
                async for _ in t.stream("while :; do echo x; sleep 985.3; done"):
                    pass

            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(read(), 1)
            assert not world.has("sleep 985.3")

    run(work())


def test_a_thousand_coroutines(run: Run) -> None:
    async def work() -> None:
        async with AsyncTalaria() as t:
            await t.run("true")

            async def one(number: int) -> str:
                return (await t.task(f"many-{number % 20}").run(["echo", str(number)])).stdout

            begin = time.monotonic()
            found = await asyncio.gather(*(one(number) for number in range(1000)))
            assert found == [f"{number}\n" for number in range(1000)]
            assert time.monotonic() - begin < 50

    run(work())


def test_the_loop_is_free_while_commands_run(run: Run) -> None:
    async def work() -> None:
        async with AsyncTalaria() as t:
            await t.run("true")
            command = asyncio.ensure_future(t.run("sleep 1"))
            longest = 0.0
            while not command.done():
                begin = time.monotonic()
                await asyncio.sleep(0)
                longest = max(longest, time.monotonic() - begin)
            assert (await command).ok
            assert longest < 0.5

    run(work())


def test_a_client_belongs_to_a_loop(world: World) -> None:
    t = AsyncTalaria()

    async def use() -> None:
        await t.run("true")

    async def close() -> None:
        await t.close()

    asyncio.run(use())
    with pytest.raises(BadRequest, match="another event loop"):
        asyncio.run(use())
    asyncio.run(close())


def test_the_same_shape(run: Run, world: World) -> None:
    async def work() -> None:
        async with AsyncTalaria(cwd=str(world.root / "work")) as t:
            with pytest.raises(CommandFailed):
                await t.run("exit 1", check=True)
            await t.files.write("async.txt", "one two")
            assert await t.files.read_text("async.txt") == "one two"
            await t.files.edit("async.txt", "two", "three")
            assert (await t.files.search("three", ".")).total == 1
            assert not await t.files.exists("nothing")
            process = await t.start("echo hello; sleep 100")
            async with process.follow() as output:
                async for piece in output:
                    assert piece.data == "hello\n"
                    break
            await process.kill()
            with pytest.raises(NotFound):
                await t.process("proc_000000000000")
            async with t.sandbox() as sandbox:
                assert (await sandbox.run("echo in")).stdout == "in\n"
            assert await t.cwd() == str(world.root / "work")

    run(work())
