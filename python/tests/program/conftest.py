"""Every test session has a home of its own, and leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from talaria import Talaria, find_program

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"


@dataclass
class World:
    """A scratch home, and what runs because of it."""

    root: pathlib.Path
    program: str

    def make(self) -> World:
        for name in ("h", "t", "tmp", "work"):
            (self.root / name).mkdir(parents=True)
        return self

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.root / "h"),
            "TALARIA_HOME": str(self.root / "t"),
            "TMPDIR": str(self.root / "tmp"),
            "TALARIA_PROGRAM": self.program,
            "PYTHONPATH": str(SOURCE),
            "TALARIA_TEST_WORLD": str(self.root),
        }

    def processes(self) -> dict[int, str]:
        """Names of the processes that have this home, without runners: those outlive clients."""
        mark = f"TALARIA_HOME={self.root / 't'}".encode()
        found: dict[int, str] = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if mark not in (entry / "environ").read_bytes().split(b"\0"):
                    continue
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                status = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if status != "Z" and "talaria-runner" not in line and line:
                found[int(entry.name)] = line.strip()
        return found

    def has(self, mark: str) -> bool:
        """Whether a process runs whose command line begins so."""
        return any(line.startswith(mark) for line in all_processes().values())

    def python(self, code: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """Runs a program of Python in this world."""
        return subprocess.run(
            [sys.executable, "-c", code],
            env=self.environment,
            capture_output=True,
            text=True,
            cwd=self.root / "work",
            timeout=60,
            **more,
        )

    def stop(self) -> None:
        subprocess.run(
            [self.program, "stop", "--all", "--force"],
            env=self.environment,
            capture_output=True,
            timeout=60,
        )


def all_processes() -> dict[int, str]:
    found: dict[int, str] = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                status = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except (OSError, UnicodeDecodeError):
                continue
            if status != "Z":
                found[int(entry.name)] = line
    return found


def eventually(condition: Callable[[], object], seconds: float = 15.0) -> None:
    """Waits until the condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def new_world() -> World:
    # Short, for addresses of sockets are.
    root = pathlib.Path(tempfile.mkdtemp(prefix="tp", dir="/tmp"))
    return World(root, find_program()).make()


def end_world(world: World) -> None:
    world.stop()
    until = time.monotonic() + 10
    while (left := world.processes()) and time.monotonic() < until:
        time.sleep(0.05)
    shutil.rmtree(world.root, ignore_errors=True)
    assert left == {}, "processes were left behind"


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    """A test that hangs fails, and says where."""

    def late(*_: object) -> None:
        raise AssertionError("the test took too long")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(100)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    """The home of this session; the variables of this process name it."""
    world = new_world()
    before = dict(os.environ)
    for name in list(os.environ):
        if name.startswith(("TERMINAL_", "HERMES_")):
            del os.environ[name]
    os.environ.update(world.environment)
    directory = pathlib.Path.cwd()
    os.chdir(world.root / "work")
    yield world
    os.chdir(directory)
    end_world(world)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def own_world() -> Iterator[World]:
    """A home of one test."""
    world = new_world()
    yield world
    end_world(world)


@pytest.fixture
def t(world: World) -> Iterator[Talaria]:
    """A client, at its end closed."""
    with Talaria(cwd=str(world.root / "work")) as client:
        yield client


@pytest.fixture
def run(world: World) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine, at most a minute."""

    def runner(work: Coroutine[Any, Any, Any]) -> Any:
        async def limited() -> Any:
            return await asyncio.wait_for(work, 60)

        return asyncio.run(limited())

    return runner
