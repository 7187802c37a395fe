"""A gateway instead of a local program."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from talaria import AsyncTalaria, ConnectionLost, Denied, NotFound, Talaria, Unavailable

from .conftest import World, end_world, eventually, new_world


@dataclass
class Gateway:
    """A gateway of a world of its own."""

    world: World
    url: str
    token: str
    process: subprocess.Popen[str]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def start(self) -> None:
        port = self.url.rpartition(":")[2]

        def again() -> bool:  # the lock of the one that was killed may be held a moment longer
            try:
                self.process = serve(self.world, port)[0]
            except AssertionError:
                return False
            return True

        eventually(again)


def serve(world: World, port: str = "0") -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [world.program, "serve", "--listen", f"127.0.0.1:{port}"],
        env=world.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        found = re.search(r"listening on http://127\.0\.0\.1:(\d+)", line)
        if found:
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, found[1]
    raise AssertionError(f"the gateway did not start: {said}")


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    world = new_world()
    token = subprocess.check_output(
        [world.program, "token", "add", "tests", "--approve"], env=world.environment, text=True
    ).split()[-1]
    process, port = serve(world)
    gateway = Gateway(world, f"http://127.0.0.1:{port}", token, process)
    yield gateway
    gateway.process.terminate()
    gateway.process.wait(20)
    end_world(world)


@pytest.fixture
def g(gateway: Gateway) -> Iterator[Talaria]:
    with Talaria.connect(gateway.url, gateway.token) as client:
        yield client


def test_a_sandbox_of_a_gateway(g: Talaria) -> None:
    assert g.hello()["transport"] == "websocket"
    with g.sandbox(env={"A": "b"}) as sandbox:
        result = sandbox.run("echo $A; echo err >&2; exit 3")
        assert (result.stdout, result.stderr, result.exit_code) == ("b\n", "err\n", 3)
        data = bytes(range(256)) * 8000
        sandbox.files.write("data", data)
        assert sandbox.files.read("data") == data
        assert sandbox.run("wc -c < data").stdout.strip() == str(len(data))
        text = "".join(chunk.data for chunk in sandbox.stream("seq 100000"))
        assert text.count("\n") == 100000
        process = sandbox.start("echo begun; sleep 100")
        eventually(lambda: process.read(0).data == "begun\n")
        process.kill()
    with pytest.raises(NotFound):
        sandbox.run("true")


def test_a_token_that_is_none(gateway: Gateway) -> None:
    with Talaria.connect(gateway.url, "tal_wrong") as client, pytest.raises(Denied, match="401"):
        client.hello()


def test_nobody_there() -> None:
    with Talaria.connect("http://127.0.0.1:1", "x") as client:
        with pytest.raises(Unavailable, match="cannot connect"):
            client.hello()
        with pytest.raises(Unavailable):
            client.hello()


def test_a_connection_that_breaks(gateway: Gateway, g: Talaria) -> None:
    sandbox = g.sandbox(keep=True)
    sandbox.run("cd /usr")
    threading.Timer(0.5, gateway.kill).start()
    with pytest.raises(ConnectionLost):
        sandbox.run("sleep 100")
    with pytest.raises((Unavailable, ConnectionLost)):
        sandbox.run("true")
    gateway.start()
    assert g.find_sandbox(sandbox.id).run("pwd").stdout == "/usr\n"
    sandbox.close()


def test_cancelling(g: Talaria, gateway: Gateway) -> None:
    with g.sandbox() as sandbox:
        begin = time.monotonic()
        stream = sandbox.stream("echo begun; sleep 983.1")
        assert next(iter(stream)).data == "begun\n"
        stream.close()
        assert time.monotonic() - begin < 20
        assert not gateway.world.has("sleep 983.1")


def test_what_an_interpreter_left_is_removed(gateway: Gateway, g: Talaria) -> None:
    for how in ("", "import os; os.kill(os.getpid(), 15)"):
        code = f"""
from talaria import Talaria
t = Talaria.connect({gateway.url!r}, {gateway.token!r})
print(t.sandbox().id, flush=True)
{how}
"""
        number = gateway.world.python(code).stdout.strip()
        if not how:
            with pytest.raises(NotFound):
                g.find_sandbox(number)
        else:
            g.find_sandbox(number).close()


def test_asynchronous(run: Callable[[Any], Any], gateway: Gateway) -> None:
    async def work() -> None:
        async with (
            AsyncTalaria.connect(gateway.url, gateway.token) as t,
            t.sandbox() as one,
            t.sandbox() as two,
        ):
            assert (await one.run("echo 1")).stdout == "1\n"
            assert (await two.run("cat", stdin="2")).stdout == "2"

    run(work())
