"""What the package costs. The limits are those of the guide; other work on the machine counts, so
each is tried a few times."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

from .conftest import World

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "cost.py"


def measure(world: World) -> dict[str, Any]:
    line = [sys.executable, str(BENCH), "--json", "--rounds", "400"]
    return json.loads(subprocess.check_output(line, env=world.environment, timeout=120))


def test_a_call_costs_little_more_than_by_hand(own_world: World) -> None:
    found: list[dict[str, Any]] = []
    for _ in range(5):
        found.append(measure(own_world))
        sync = min(one["sync"] - one["by_hand"] for one in found)
        asynchronous = min(one["async"] - one["by_hand"] for one in found)
        load = min(max(one["import"], one["import_async"]) for one in found)
        if max(sync, asynchronous) <= 0.1 and load <= 60:
            return
    raise AssertionError(found)
