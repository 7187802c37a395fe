"""200 tasks in parallel: each is a small repository with a defect, a patch, and tests.

    python swe_tasks.py [--tasks 200] [--parallel 32] [--target docker --image python:3.12]

Every task has a session of its own (with --target a sandbox of its own). A real evaluation would
take the repositories and patches from a data set and a model; here every tenth patch is wrong, and
every fiftieth makes the program run for ever.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import sys
import time
from dataclasses import dataclass

from talaria import AsyncTalaria, TalariaError

TIMEOUT = 10.0  # seconds for the tests of a task
KINDS = ("sum", "maximum", "reverse", "count")
DEFECT = {
    "sum": ("return 0", "return sum(xs)", "assert f([1, 2, 3]) == 6"),
    "maximum": ("return xs[0]", "return max(xs)", "assert f([1, 3, 2]) == 3"),
    "reverse": ("return xs", "return xs[::-1]", "assert f([1, 2]) == [2, 1]"),
    "count": ("return 1", "return len(xs)", "assert f([5, 6]) == 2"),
}


@dataclass
class Outcome:
    kind: str
    status: str  # resolved, failed, timed out, error
    seconds: float


def patch_for(number: int, kind: str) -> str:
    """What the model would have written."""
    if number % 50 == 49:
        return "while True: pass"
    return DEFECT[kind][0] + "  # still" if number % 10 == 9 else DEFECT[kind][1]


async def attempt(t: AsyncTalaria, number: int, target: str | None, image: str | None) -> Outcome:
    kind = KINDS[number % len(KINDS)]
    defect, _, test = DEFECT[kind]
    begun = time.monotonic()
    place = await t.sandbox(target, image=image) if target else t.task(f"swe-{number}")
    try:
        async with place:
            await place.run('cd "$(mktemp -d)"', check=True)
            await place.files.write("lib.py", f"def f(xs):\n    {defect}\n")
            await place.files.write("test_lib.py", f"from lib import f\n{test}\n")
            await place.files.edit("lib.py", defect, patch_for(number, kind))
            result = await place.run(["python3", "test_lib.py"], timeout=TIMEOUT)
            await place.run('rm -f lib.py test_lib.py; cd / && rmdir "$OLDPWD" 2>/dev/null; true')
        status = "timed out" if result.timed_out else "resolved" if result.ok else "failed"
    except TalariaError as error:
        print(f"\ntask {number}: {error}", file=sys.stderr)
        status = "error"
    return Outcome(kind, status, time.monotonic() - begun)


def show_progress(done: int, total: int) -> None:
    filled = 40 * done // total
    print(
        f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{total}",
        end="",
        file=sys.stderr,
        flush=True,
    )


async def evaluate(
    tasks: int, parallel: int, target: str | None, image: str | None
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    turn = asyncio.Semaphore(parallel)
    async with AsyncTalaria() as t:

        async def one(number: int) -> None:
            async with turn:
                outcomes.append(await attempt(t, number, target, image))
            show_progress(len(outcomes), tasks)

        await asyncio.gather(*(one(number) for number in range(tasks)))
    print(file=sys.stderr)
    return outcomes


def table(outcomes: list[Outcome]) -> str:
    columns = ("resolved", "failed", "timed out", "error")
    lines = [f"{'kind':10}" + "".join(f"{column:>12}" for column in columns)]
    for kind in (*KINDS, "all"):
        counts = collections.Counter(o.status for o in outcomes if kind in (o.kind, "all"))
        lines.append(f"{kind:10}" + "".join(f"{counts[column]:12}" for column in columns))
    times = sorted(o.seconds for o in outcomes)
    lines.append(f"median {times[len(times) // 2]:.2f} s, slowest {times[-1]:.2f} s")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="SWE-style tasks in parallel")
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--parallel", type=int, default=32)
    parser.add_argument("--target")
    parser.add_argument("--image")
    chosen = parser.parse_args()
    outcomes = asyncio.run(evaluate(chosen.tasks, chosen.parallel, chosen.target, chosen.image))
    print(table(outcomes))


if __name__ == "__main__":
    main()
