"""Rollouts for training that survive `kill -9` of the program that controls them.

    python rollout.py STATE_DIRECTORY [--rollouts 4] [--steps 20]

Every rollout is a background process. It belongs to the runner at the target, not to this program.
This program keeps one file: which processes it has started, and how far it has read their output.
When it is killed and started again, it goes on reading where it was; no rollout runs twice, and no
line of output is lost.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import secrets
from typing import Any

from talaria import Process, Talaria

# One episode: a policy acts, an environment answers. Prints one line of JSON for each step.
EPISODE = """
import json, random, time
random.seed({seed})
position = 0
for step in range({steps}):
    action = random.choice((-1, 1, 1))
    position += action
    print(json.dumps(dict(step=step, action=action, reward=position)), flush=True)
    time.sleep(0.1)
"""


class State:
    """What has to survive, in a file that is replaced in one step."""

    def __init__(self, directory: pathlib.Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._file = directory / "state.json"
        kept = json.loads(self._file.read_text()) if self._file.exists() else {}
        self.run: str = kept.get("run") or secrets.token_hex(4)
        self.rollouts: dict[str, dict[str, Any]] = kept.get("rollouts") or {}
        self.save()

    def save(self) -> None:
        part = self._file.with_suffix(".part")
        part.write_text(json.dumps({"run": self.run, "rollouts": self.rollouts}))
        os.replace(part, self._file)


def begin(t: Talaria, state: State, seed: int, steps: int) -> None:
    """Starts the rollout of this seed, unless it was started before."""
    name = f"rollout-{seed}"
    if name in state.rollouts:
        return
    task = t.task(f"{state.run}-{name}")
    started = task.processes(all=True)  # by a program that was killed before it could save that
    argv = ["python3", "-c", EPISODE.format(seed=seed, steps=steps)]
    process = started[0] if started else task.start(argv, lifetime="keep")
    state.rollouts[name] = {"process": process.id, "next": 0, "trajectory": [], "done": False}
    state.save()


def collect(process: Process, kept: dict[str, Any]) -> None:
    """Takes the whole lines that are new."""
    output = process.read(kept["next"], raw=True)
    whole = output.raw[: output.raw.rfind(b"\n") + 1]
    kept["trajectory"] += [json.loads(line) for line in whole.splitlines()]
    kept["next"] = output.start + len(whole)
    kept["done"] = output.eof and kept["next"] >= output.total


def main() -> None:
    parser = argparse.ArgumentParser(description="rollouts that survive their controller")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--rollouts", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    chosen = parser.parse_args()

    state = State(chosen.directory)
    with Talaria() as t:
        for seed in range(chosen.rollouts):
            begin(t, state, seed, chosen.steps)
        while open_ones := [kept for kept in state.rollouts.values() if not kept["done"]]:
            for kept in open_ones:
                process = t.process(kept["process"])
                process.wait(timeout=0.2)
                collect(process, kept)
            state.save()
            steps = sum(len(kept["trajectory"]) for kept in state.rollouts.values())
            print(f"{steps} steps", flush=True)
    for name, kept in state.rollouts.items():
        total = sum(step["reward"] for step in kept["trajectory"])
        print(f"{name}: {len(kept['trajectory'])} steps, return {total}")


if __name__ == "__main__":
    main()
