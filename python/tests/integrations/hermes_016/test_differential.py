"""The same calls to Hermes 0.16 and to Talaria under Hermes' names: the same JSON.

Every group of cases runs twice, in a process and a home of its own. DELIBERATE lists where Talaria
answers differently on purpose; a case on that list that no longer differs fails, too.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

HERE = pathlib.Path(__file__).resolve().parent
GROUPS = ("terminal", "files", "processes", "code", "approvals", "interrupts", "tasks")
ADDED = {  # members that Hermes does not have
    "target",
    "transport",
    "duration_ms",
    "engine",
    "completion_reason",
    "termination_source",
}

DELIBERATE = {
    "terminal.directory_is_kept": "workdir is of one command; in Hermes it moves the session",
    "terminal.syntax_error": "a command that bash cannot parse needs approval",
    "files.read_a_part": "a read behind the end says so",
    "files.read_binary": "the text names no tool that is not there",
    "files.read_without_last_newline": "the last line counts, also without a line feed",
    "files.write_over": "dirs_created says whether a directory was made",
    "files.patch_v4a": "an added file ends with a line feed",
    "processes.start_and_wait": "the hint has fewer words; the shell does not print `logout`",
}

CONFIG = "security:\n  tirith_enabled: false\n"  # it would be downloaded


def environment(home: pathlib.Path) -> dict[str, str]:
    (home / ".hermes").mkdir(parents=True, exist_ok=True)
    (home / ".hermes" / "config.yaml").write_text(CONFIG)
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "TALARIA_PROGRAM") if name in os.environ
    }
    return {**kept, "HOME": str(home), "HERMES_HOME": str(home / ".hermes")}


def results(group: str, home: pathlib.Path, *options: str) -> dict[str, Any]:
    driver = subprocess.run(
        [sys.executable, str(HERE / "driver.py"), group, *options],
        env=environment(home),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    for line in driver.stdout.splitlines():
        if line.startswith("RESULTS "):
            return json.loads(line.removeprefix("RESULTS "))
    raise AssertionError(
        f"driver.py {group} {' '.join(options)}: no results\n{driver.stderr[-4000:]}"
    )


def comparable(value: Any) -> Any:
    """Without what Talaria adds, and without the empty last line that Hermes numbers."""
    if isinstance(value, dict):
        return {name: comparable(item) for name, item in value.items() if name not in ADDED}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, str):
        return re.sub(r"(?:^|\n)\d+\|(?=\n|$)", "", value)
    return value


@pytest.fixture
def tmp_path(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A directory in which Hermes has its home; what runs in that home ends with the test."""
    yield tmp_path
    for home in tmp_path.glob("**/.hermes"):
        argv = [os.environ["TALARIA_PROGRAM"], "stop", "--all", "--force"]
        subprocess.run(argv, env={**os.environ, "TALARIA_HOME": str(home)}, check=False)


@pytest.mark.parametrize("group", GROUPS)
def test_same_json(group: str, tmp_path: pathlib.Path) -> None:
    upstream = results(group, tmp_path / "upstream")
    ours = results(group, tmp_path / "talaria", "--talaria")
    assert list(ours) == list(upstream)
    different = {
        f"{group}.{name}": {"hermes": comparable(upstream[name]), "talaria": comparable(ours[name])}
        for name in upstream
        if comparable(upstream[name]) != comparable(ours[name])
    }
    unexpected = {name: pair for name, pair in different.items() if name not in DELIBERATE}
    assert not unexpected, json.dumps(unexpected, indent=1)
    stale = [n for n in DELIBERATE if n.startswith(group + ".") and n not in different]
    assert not stale, f"no longer different: {stale}"
    print(f"{group}: {len(upstream) - len(different)} of {len(upstream)} cases equal")


def test_version(check_version: Callable[[str], None]) -> None:
    check_version("hermes-agent")


def python(code: str, home: pathlib.Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(home),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_the_page(code_of_page: Callable[[str, str], str], tmp_path: pathlib.Path) -> None:
    said = python(code_of_page("hermes.md", "adapter"), tmp_path)
    assert json.loads(said.splitlines()[-1])["output"] == "Linux"


def test_hermes_with_the_adapter_starts(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "talaria.integrations.hermes", "--version"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "0.16.0" in done.stdout, done.stderr[-4000:]


ENVIRONMENT = """
from talaria.integrations.hermes import adapter
adapter.install()
from tools.environments.base import BaseEnvironment
from tools.environments.local import LocalEnvironment
from tools.environments.docker import DockerEnvironment
env = LocalEnvironment(cwd="/usr", timeout=20, env={"COLOUR": "blue"})
print(env.execute("pwd; echo $COLOUR")["output"].split())
print(env.execute("cat", stdin_data="in")["output"], env.execute("exit 3")["returncode"])
env.execute("cd /tmp; export KEPT=1")
print(env.cwd, env.execute("echo $KEPT")["output"].strip())
print(env.execute("echo begun; sleep 60", timeout=1))
env.cleanup()
"""


def test_classes_of_environments(tmp_path: pathlib.Path) -> None:
    assert python(ENVIRONMENT, tmp_path).splitlines() == [
        "['/usr', 'blue']",
        "in 3",
        "/tmp 1",
        "{'output': 'begun\\n\\n[Command timed out after 1s]', 'returncode': 124}",
    ]


ALONE = """
import importlib.machinery, sys
sys.path = [path for path in sys.path if "site-packages" not in path] + [SOURCE]
from talaria.integrations.hermes import adapter
adapter.install()
from tools.terminal_tool import terminal_tool
from tools.environments.base import BaseEnvironment
from tools.file_tools import write_file_tool
from tools.process_registry import process_registry
print(terminal_tool("echo alone"))
print(BaseEnvironment.__name__, process_registry.count_running())
"""


def test_without_hermes(tmp_path: pathlib.Path) -> None:
    """The names are there, too, where Hermes is not installed."""
    source = repr(str(HERE.parents[2] / "src"))
    said = python(ALONE.replace("SOURCE", source), tmp_path).splitlines()
    assert json.loads(said[0])["output"] == "alone"
    assert said[1] == "BaseEnvironment 0"


KEPT = """
from talaria.integrations.hermes import adapter
adapter.install()
import tools.process_registry as p
import json, tools.terminal_tool as t
%s
"""


def test_processes_survive_hermes(tmp_path: pathlib.Path) -> None:
    begun = (
        "print(json.loads(t.terminal_tool('echo here; sleep 600', background=True))['session_id'])"
    )
    number = python(KEPT % begun, tmp_path).strip()
    again = f"""
registry = p.process_registry
print(registry.recover_from_checkpoint(), registry.poll('{number}')['status'])
print(registry.kill_process('{number}')['status'])
"""
    assert python(KEPT % again, tmp_path).split() == ["1", "running", "killed"]
