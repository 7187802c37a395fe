#!/usr/bin/env python3
"""What the package costs beside JSON lines written by hand, and what importing it costs.

bench/cost.py [--rounds N] [--json]      TALARIA_PROGRAM names the program
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
sys.path.insert(0, str(SOURCE))

from talaria import AsyncTalaria, Talaria, find_program  # noqa: E402


class ByHand:
    """The protocol as a program without a library writes it."""

    def __init__(self) -> None:
        self.child = subprocess.Popen(
            [find_program(), "call", "--lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = 0

    def run(self) -> None:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.number += 1
        params = {"command": "true", "task": "by-hand"}
        line = json.dumps({"id": self.number, "method": "exec", "params": params})
        self.child.stdin.write(line.encode() + b"\n")
        self.child.stdin.flush()
        answer = json.loads(self.child.stdout.readline())
        assert answer["result"]["exit_code"] == 0, answer

    def close(self) -> None:
        assert self.child.stdin is not None
        self.child.stdin.close()
        self.child.wait()


def timed(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def measure_run(rounds: int) -> dict[str, float]:
    """The three ways in turn, call by call, so that what else the machine does meets all of them
    alike; of each the quickest tenth, in milliseconds."""
    found: dict[str, list[float]] = {"by_hand": [], "sync": [], "async": []}
    by_hand = ByHand()
    loop = asyncio.new_event_loop()
    a = AsyncTalaria()

    async def timed_async() -> float:
        begin = time.perf_counter()
        await a.run("true")
        return time.perf_counter() - begin

    with Talaria() as t:
        for _ in range(rounds):
            found["by_hand"].append(timed(by_hand.run))
            found["sync"].append(timed(lambda: t.run("true")))
            found["async"].append(loop.run_until_complete(timed_async()))
        loop.run_until_complete(a.close())
    loop.close()
    by_hand.close()
    return {name: sorted(times)[len(times) // 10] * 1000 for name, times in found.items()}


def measure_import(rounds: int, names: str) -> float:
    """Importing in a new interpreter, after the first time, in milliseconds of processor time: it
    reads and computes, and waits for nothing."""
    code = (
        f"import time; b = time.process_time(); from talaria import {names};"
        "print(time.process_time() - b)"
    )
    with tempfile.TemporaryDirectory() as compiled:
        environment = {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "PYTHONPYCACHEPREFIX": compiled,
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times = [
            float(subprocess.check_output([sys.executable, "-c", code], env=environment))
            for _ in range(rounds + 1)
        ]
    return min(times[1:]) * 1000


async def _coroutines(count: int) -> float:
    async with AsyncTalaria() as t:
        await t.run("true")
        begin = time.perf_counter()
        results = await asyncio.gather(
            *(t.task(f"bench-{number % 50}").run("true") for number in range(count))
        )
        assert all(one.ok for one in results)
        return time.perf_counter() - begin


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=500)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    measured = measure_run(given.rounds)
    measured["import"] = measure_import(10, "Talaria")
    measured["import_async"] = measure_import(10, "AsyncTalaria")
    if given.json:
        print(json.dumps(measured))
        return
    for name, value in measured.items():
        more = f"  (+{value - measured['by_hand']:.3f})" if name in ("sync", "async") else ""
        print(f"{name:12} {value:8.3f} ms{more}")
    print(f"1000 coroutines {asyncio.run(_coroutines(1000)):.2f} s")


if __name__ == "__main__":
    main()
