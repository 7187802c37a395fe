"""The programs of examples/python, as their readers run them."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parents[4]
EXAMPLES = ROOT / "examples" / "python"


def run(program: str, *arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(EXAMPLES / program), *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_agent_loop(tmp_path: pathlib.Path) -> None:
    said = run("agent_loop.py", tmp_path).stdout.splitlines()
    assert [line.split()[1] for line in said[:3]] == ["read_file", "patch", "terminal"]
    assert said[-1] == "fib(n - 3) has to be fib(n - 2). Now it prints 55."
    assert "fib(n - 2)" in (tmp_path / "fib.py").read_text()


def test_swe_tasks() -> None:
    done = run("swe_tasks.py", "--tasks", 200)
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[1:6]}
    # 200 tasks: every tenth patch is wrong (20), four of which run for ever instead.
    assert rows["all"] == ["180", "16", "4", "0"]
    assert sum(int(rows[kind][0]) for kind in ("sum", "maximum", "reverse", "count")) == 180
    assert "200/200" in done.stderr


def test_supervisor() -> None:
    said = run("supervisor.py").stdout
    assert "agent       ls: exit code 0" in said
    assert "agent       rm -rf results: exit code 0" in said
    assert "git push --force origin main: Ask for a review instead; main is protected." in said
    assert "supervisor  allowed: rm -rf results" in said
    assert "supervisor  refused: git push --force origin main" in said
    assert said.endswith("left        []\n")


def test_notebook(tmp_path: pathlib.Path) -> None:
    notebook: Any = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    shown = [output(cell) for cell in notebook.cells if cell.cell_type == "code"]
    assert shown == [
        "'Linux\\n'",
        "'tmp.\\nblue\\n'",
        "step 1\nstep 2\nstep 3\n",
        "",
        "(0, '49\\n64\\n81\\nover\\n')",
        "4950",
        "",
    ]


def output(cell: Any) -> str:
    """What a cell shows."""
    return "".join(one.get("text") or one["data"]["text/plain"] for one in cell.outputs)


def test_rollout_survives_the_death_of_its_controller(tmp_path: pathlib.Path) -> None:
    arguments = ("rollout.py", tmp_path / "state", "--rollouts", 4, "--steps", 40)
    argv = [sys.executable, str(EXAMPLES / arguments[0]), *map(str, arguments[1:])]
    controller = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert controller.stdout is not None
    for line in controller.stdout:
        if int(line.split()[0]) >= 20:
            break
    os.kill(controller.pid, signal.SIGKILL)
    controller.wait()
    controller.stdout.close()
    before = json.loads((tmp_path / "state" / "state.json").read_text())["rollouts"]
    assert len(before) == 4
    assert not all(kept["done"] for kept in before.values())

    said = run(*arguments).stdout
    assert len(re.findall(r"^rollout-\d: 40 steps", said, re.MULTILINE)) == 4
    after = json.loads((tmp_path / "state" / "state.json").read_text())["rollouts"]
    for name, kept in after.items():
        assert kept["process"] == before[name]["process"], "it was started a second time"
        assert [step["step"] for step in kept["trajectory"]] == list(range(40))


def test_rollout_without_a_death(tmp_path: pathlib.Path) -> None:
    said = run("rollout.py", tmp_path / "state", "--rollouts", 2, "--steps", 3).stdout
    assert len(re.findall(r"^rollout-\d: 3 steps", said, re.MULTILINE)) == 2
