#!/usr/bin/env python3
"""Talaria beside what agents use today, in one run: SWE-ReX's local runtime and mini-swe-agent's
environments, as their registry has them (tests/python/venv mini_swe).

    bench/compare.py --talaria PROGRAM [--short] [--json]

Rows: `true`, the start of 100 sandboxes until each has run `true`, and 1,000 files written and read.
--short does about a twentieth. The docker rows need the docker engine of tests/engines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any, Protocol

REPOSITORY = Path(__file__).resolve().parent.parent
AT_ONCE = 16  # starts under way, as evaluations have them
CONTENT = "x" * 4000
Starts = Callable[[int], Awaitable[None]]


class Place(Protocol):
    """Somewhere commands run and files are."""

    async def true(self) -> None: ...

    async def write(self, path: str, text: str) -> None: ...

    async def read(self, path: str) -> str: ...


class AtTalaria:
    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox

    async def true(self) -> None:
        check((await self.sandbox.run("true")).exit_code == 0)

    async def write(self, path: str, text: str) -> None:
        await self.sandbox.files.write(path, text)

    async def read(self, path: str) -> str:
        return await self.sandbox.files.read_text(path)


class AtSweRex:
    """A bash session of SWE-ReX."""

    def __init__(self, runtime: Any, session: str = "bench") -> None:
        self.runtime = runtime
        self.session = session

    async def true(self) -> None:
        from swerex.runtime.abstract import BashAction

        seen = await self.runtime.run_in_session(BashAction(command="true", session=self.session))
        check(seen.exit_code == 0)

    async def write(self, path: str, text: str) -> None:
        from swerex.runtime.abstract import WriteFileRequest

        await self.runtime.write_file(WriteFileRequest(path=path, content=text))

    async def read(self, path: str) -> str:
        from swerex.runtime.abstract import ReadFileRequest

        return (await self.runtime.read_file(ReadFileRequest(path=path))).content


class AtMiniSwe:
    """An environment of mini-swe-agent. It has commands only, so files go through them."""

    def __init__(self, environment: Any) -> None:
        self.environment = environment

    def execute(self, command: str) -> str:
        seen = self.environment.execute({"command": command})
        check(seen["returncode"] == 0)
        return seen["output"]

    async def true(self) -> None:
        self.execute("true")

    async def write(self, path: str, text: str) -> None:
        self.execute(f"cat >{path} <<'END'\n{text}\nEND")

    async def read(self, path: str) -> str:
        return self.execute(f"cat {path}").removesuffix("\n")


class Rows:
    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, row: str, unit: str, numbers: dict[str, float]) -> None:
        """Numbers by contender, small ones are good; Talaria is the first one."""
        ours = next(iter(numbers.values()))
        self.rows.append({"row": row, "unit": unit, **numbers})
        print(f"{row} ({unit})")
        for name, number in numbers.items():
            print(f"  {name:<26}{number:>10.3f}{number / ours:>9.2f}x")


def check(holds: bool) -> None:
    if not holds:
        raise RuntimeError("a contender did not do its work")


async def trues(places: dict[str, Place], rounds: int) -> dict[str, float]:
    """Milliseconds, one contender after the other in each round."""
    times: dict[str, list[float]] = {name: [] for name in places}
    for name, place in places.items():
        await place.true()
    for _ in range(rounds):
        for name, place in places.items():
            begun = time.perf_counter()
            await place.true()
            times[name].append(time.perf_counter() - begun)
    return {name: 1000 * median(values) for name, values in times.items()}


async def files(places: dict[str, tuple[Place, str]], count: int) -> dict[str, float]:
    """Seconds to write the files and to read them back, one at a time."""
    seconds: dict[str, float] = {}
    for name, (place, folder) in places.items():
        begun = time.perf_counter()
        for number in range(count):
            await place.write(f"{folder}/{number}.txt", CONTENT)
        for number in range(count):
            check(await place.read(f"{folder}/{number}.txt") == CONTENT)
        seconds[name] = time.perf_counter() - begun
    return seconds


async def at_once(count: int, one: Callable[[], Awaitable[None]]) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def gated() -> None:
        async with gate:
            await one()

    await asyncio.gather(*(gated() for _ in range(count)))


async def starts(contenders: dict[str, Starts], count: int) -> dict[str, float]:
    """Seconds until all have run `true`. Their end is not measured."""
    seconds: dict[str, float] = {}
    for name, start in contenders.items():
        begun = time.perf_counter()
        await start(count)
        seconds[name] = time.perf_counter() - begun
    return seconds


def talaria_starts(client: Any, kept: list[Any], **options: Any) -> Starts:
    async def one() -> None:
        sandbox = await client.sandbox(**options)
        kept.append(sandbox)
        await AtTalaria(sandbox).true()

    return lambda count: at_once(count, one)


def rex_starts(runtime: Any) -> Starts:
    from swerex.runtime.abstract import CreateBashSessionRequest

    async def all_of_them(count: int) -> None:
        names = iter(range(count))

        async def one() -> None:
            name = f"start-{next(names)}"
            # 1 s, the default, is too short for 100 of them on a busy machine.
            await runtime.create_session(CreateBashSessionRequest(session=name, startup_timeout=60))
            await AtSweRex(runtime, name).true()

        await at_once(count, one)

    return all_of_them


def mini_starts(image: str, kept: list[Any]) -> Starts:
    from minisweagent.environments.docker import DockerEnvironment

    def one(_: int) -> None:
        environment = DockerEnvironment(image=image)
        kept.append(environment)
        AtMiniSwe(environment).execute("true")

    async def all_of_them(count: int) -> None:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            await asyncio.get_running_loop().run_in_executor(
                None, lambda: list(threads.map(one, range(count)))
            )

    return all_of_them


def remove_containers(environments: list[Any]) -> None:
    """At once: their own way is a `docker stop` of ten seconds, in the background."""
    ids = [one.container_id for one in environments]
    for environment in environments:
        environment.container_id = None
    if ids:
        subprocess.run(["docker", "rm", "-f", *ids], check=True, stdout=subprocess.DEVNULL)


async def measure_local(client: Any, rows: Rows, folder: Path, sizes: dict[str, int]) -> None:
    from minisweagent.environments.local import LocalEnvironment
    from swerex.runtime.abstract import CreateBashSessionRequest
    from swerex.runtime.local import LocalRuntime

    runtime = LocalRuntime()
    await runtime.create_session(CreateBashSessionRequest(session="bench", startup_timeout=60))
    kept: list[Any] = []
    async with client.sandbox("local", cwd=str(folder)) as sandbox:
        places: dict[str, Place] = {
            "Talaria, local": AtTalaria(sandbox),
            "SWE-ReX, local runtime": AtSweRex(runtime),
            "mini-swe-agent, local": AtMiniSwe(LocalEnvironment(cwd=str(folder))),
        }
        rows.add("true", "ms", await trues(places, sizes["true"]))
        begin = {
            "Talaria, local": talaria_starts(client, kept, target="local", cwd=str(folder)),
            "SWE-ReX, local runtime": rex_starts(runtime),
        }
        rows.add(f"start of {sizes['starts']}", "s", await starts(begin, sizes["starts"]))
        at: dict[str, tuple[Place, str]] = {}
        for number, (name, place) in enumerate(places.items()):
            (folder / str(number)).mkdir()
            at[name] = (place, str(folder / str(number)))
        rows.add(f"{sizes['files']} files", "s", await files(at, sizes["files"]))
    for one in kept:
        await one.close()
    await runtime.close()


async def measure_docker(client: Any, rows: Rows, image: str, sizes: dict[str, int]) -> None:
    from minisweagent.environments.docker import DockerEnvironment

    mini = DockerEnvironment(image=image)
    others: list[Any] = [mini]
    kept: list[Any] = []
    try:
        async with client.sandbox("docker", image=image) as sandbox:
            places: dict[str, Place] = {
                "Talaria, docker": AtTalaria(sandbox),
                "mini-swe-agent, docker": AtMiniSwe(mini),
            }
            rows.add("true, docker", "ms", await trues(places, sizes["true"]))
            at = {name: (place, "/tmp") for name, place in places.items()}
            rows.add(f"{sizes['files']} files, docker", "s", await files(at, sizes["files"]))
        begin = {
            "Talaria, docker": talaria_starts(client, kept, target="docker", image=image),
            "mini-swe-agent, docker": mini_starts(image, others),
        }
        rows.add(f"start of {sizes['starts']}, docker", "s", await starts(begin, sizes["starts"]))
    finally:
        remove_containers(others)
        for one in kept:
            await one.close()


async def measure(short: bool) -> Rows:
    from talaria import AsyncTalaria

    sizes = {"true": 300, "starts": 100, "files": 1000}
    if short:
        sizes = {"true": 15, "starts": 5, "files": 50}
    rows = Rows()
    folder = Path(tempfile.mkdtemp(prefix="talaria-compare."))
    try:
        async with AsyncTalaria(home=folder / "home") as client:
            (folder / "files").mkdir()
            await measure_local(client, rows, folder / "files", sizes)
            if "docker" in os.environ.get("TALARIA_ENGINES", "").split():
                await measure_docker(client, rows, os.environ["TALARIA_DOCKER_IMAGE"], sizes)
            else:
                print("docker: not measured, there is no engine of tests/engines")
    finally:
        stop = [os.environ["TALARIA_PROGRAM"], "stop", "--all", "--force"]
        subprocess.run(stop, env={**os.environ, "TALARIA_HOME": str(folder / "home")}, check=True)
        shutil.rmtree(folder)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--talaria", required=True, help="the program")
    parser.add_argument("--short", action="store_true", help="about a twentieth of each row")
    parser.add_argument("--json", action="store_true", help="print numbers for programs, too")
    options = parser.parse_args()
    os.environ["TALARIA_PROGRAM"] = str(Path(options.talaria).resolve())
    os.environ["MSWEA_SILENT_STARTUP"] = "1"
    if "TALARIA_COMPARE" not in os.environ:  # in the environment that has the contenders
        venv = [str(REPOSITORY / "tests/python/venv"), "mini_swe"]
        python = subprocess.run(venv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        os.environ["TALARIA_COMPARE"] = "1"
        os.execv(python, [python, __file__, *sys.argv[1:]])
    logging.disable(logging.INFO)
    versions = {name: metadata.version(name) for name in ("swe-rex", "mini-swe-agent")}
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    rows = asyncio.run(measure(options.short))
    if options.json:
        print(json.dumps({"versions": versions, "rows": rows.rows}))


if __name__ == "__main__":
    main()
