"""The newest Hermes runs commands at Talaria, by its plugin: a real agent, a scripted model."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from scripted_model import serve

from talaria import Talaria
from talaria.integrations.hermes import TalariaEnvironment

HERE = pathlib.Path(__file__).resolve().parent

CONFIG = """
model: {{default: scripted}}
plugins: {{enabled: [talaria]}}
security: {{tirith_enabled: false}}
terminal:
  backend: talaria
  cwd: {workspace}
  backends: {{talaria: {{target: local}}}}
"""


class Hermes:
    """A home with the plugin in it, and Hermes in a process of its own."""

    def __init__(self, root: pathlib.Path) -> None:
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.home = root / "home"
        plugin = self.home / ".hermes" / "plugins" / "talaria"
        plugin.mkdir(parents=True)
        (self.home / ".hermes" / "config.yaml").write_text(CONFIG.format(workspace=self.workspace))
        (plugin / "plugin.yaml").write_text("name: talaria\nversion: 0.1.0\nkind: backend\n")
        (plugin / "__init__.py").write_text("from talaria.integrations.hermes import register\n")

    def run(self, url: str = "", message: str = "", *calls: str) -> dict[str, Any]:
        passed = ("PATH", "TALARIA_PROGRAM", "DOCKER_HOST", "DOCKER_CONFIG")
        kept = {name: os.environ[name] for name in passed if name in os.environ}
        done = subprocess.run(
            [sys.executable, str(HERE / "one_conversation.py"), url, message, *calls],
            env={
                **kept,
                "HOME": str(self.home),
                "HERMES_HOME": str(self.home / ".hermes"),
                "TALARIA_HOME": os.environ["TALARIA_HOME"],
                "TERMINAL_ENV": "talaria",
                "TERMINAL_CWD": str(self.workspace),
            },
            cwd=self.workspace,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        for line in done.stdout.splitlines():
            if line.startswith("SAID "):
                return json.loads(line.removeprefix("SAID "))
        raise AssertionError(f"Hermes said nothing\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


@pytest.fixture
def hermes(tmp_path: pathlib.Path) -> Hermes:
    return Hermes(tmp_path)


def test_version(check_version: Callable[[str], None]) -> None:
    check_version("hermes-agent")


def test_an_agent_solves_a_task(hermes: Hermes) -> None:
    steps = [
        ("terminal", {"command": "mkdir src && cd src && echo $((6 * 7)) > answer.txt"}),
        ("terminal", {"command": "pwd; cat answer.txt"}),
        ("read_file", {"path": f"{hermes.workspace}/src/answer.txt"}),
        "It is 42.",
    ]
    with serve(steps) as model:
        said = hermes.run(model.url, "What is 6 * 7?")
    assert said["answer"] == "It is 42."
    assert (hermes.workspace / "src" / "answer.txt").read_text() == "42\n"
    second = json.loads(model.tool_results[1])
    assert second["output"] == f"{hermes.workspace}/src\n42"
    assert "1|42" in json.loads(model.tool_results[2])["content"]


def test_the_plugin_is_loaded(hermes: Hermes) -> None:
    said = hermes.run()
    assert [one["enabled"] for one in said["plugins"]] == [True]
    assert said["usable"] is True


def test_without_a_program_the_terminal_is_off(hermes: Hermes, monkeypatch: Any) -> None:
    monkeypatch.setenv("TALARIA_PROGRAM", "/absent/talaria")
    assert hermes.run()["usable"] is False


def test_results(hermes: Hermes) -> None:
    def call(**arguments: Any) -> str:
        return "terminal " + json.dumps(arguments)

    results = hermes.run(
        "",
        "",
        call(command="echo out; echo err >&2; exit 3"),
        call(command="echo begun; sleep 60", timeout=1),
        call(command="export COLOUR=blue; cd /usr"),
        call(command="echo $COLOUR $PWD"),
        call(command="cat", background=False),
        call(command="mkfs.ext4 /dev/absent-device"),
    )["results"]
    assert (results[0]["output"], results[0]["exit_code"]) == ("out\nerr", 3)
    assert results[1]["exit_code"] == 124
    assert results[1]["output"].startswith("begun\n")
    assert "timed out after 1s" in results[1]["output"]
    assert results[3]["output"] == "blue /usr"
    assert results[4]["exit_code"] == 0
    assert results[5]["exit_code"] != 0


def test_background(hermes: Hermes) -> None:
    background = "terminal " + json.dumps({"command": "echo ready; sleep 600", "background": True})
    results = hermes.run("", "", background, 'process {"action": "list"}')["results"]
    assert results[0]["session_id"].startswith("proc_")
    assert [one["status"] for one in results[1]["processes"]] == ["running"]


@pytest.fixture
def environment(tmp_path: pathlib.Path) -> Iterator[TalariaEnvironment]:
    with Talaria() as talaria:
        yield TalariaEnvironment(talaria.task("e"), cwd=str(tmp_path), timeout=30)


def test_environment(environment: TalariaEnvironment, tmp_path: pathlib.Path) -> None:
    assert environment.execute("echo out") == {"output": "out\n", "returncode": 0}
    assert environment.execute("cat", stdin_data="a\nb")["output"] == "a\nb"
    (tmp_path / "sub").mkdir()
    assert environment.execute("cd sub; pwd")["output"] == f"{tmp_path}/sub\n"
    assert environment.cwd == f"{tmp_path}/sub"
    assert environment.execute("pwd", cwd="/usr")["output"] == "/usr\n"
    assert environment.cwd == "/usr"
    environment.cwd = str(tmp_path)
    assert environment.execute("pwd")["output"] == f"{tmp_path}\n"
    assert environment.execute("true", cwd="/absent")["returncode"] == 126
    assert environment.execute("sleep 60", timeout=0.5) == {
        "output": "[Command timed out after 0.5s]",
        "returncode": 124,
    }


def test_interrupt(environment: TalariaEnvironment) -> None:
    from tools.interrupt import set_interrupt

    caller = threading.get_ident()

    def interrupt() -> None:
        time.sleep(1)
        set_interrupt(True, caller)

    thread = threading.Thread(target=interrupt)
    thread.start()
    begun = time.monotonic()
    try:
        result = environment.execute("echo begun; sleep 600", timeout=60)
    finally:
        set_interrupt(False, caller)
        thread.join()
    assert result == {"output": "begun\n\n[Command interrupted]", "returncode": 130}
    assert time.monotonic() - begun < 20
    assert environment.execute("echo again")["output"] == "again\n"


def test_a_refusal_does_not_raise(tmp_path: pathlib.Path) -> None:
    """Hermes would run the command again after an exception."""
    with Talaria() as talaria:
        talaria.approvals.handler(lambda question: False)
        environment = TalariaEnvironment(talaria.task("e"), cwd=str(tmp_path))
        refused = environment.execute("rm -rf ./absent-folder")
    assert refused["returncode"] == 126
    assert "BLOCKED" in refused["output"]


def test_cleanup_is_once(tmp_path: pathlib.Path) -> None:
    with Talaria() as talaria:
        sandbox = talaria.sandbox("local", cwd=str(tmp_path))
        environment = TalariaEnvironment(sandbox, release=sandbox.close)
        environment.cleanup()
        environment.stop()
        assert talaria.sandboxes() == []


def test_in_a_container(hermes: Hermes, docker_image: str) -> None:
    backend = f"{{target: docker, image: {docker_image}}}"
    config = hermes.home / ".hermes" / "config.yaml"
    config.write_text(config.read_text().replace("{target: local}", backend))
    call = "terminal " + json.dumps({"command": "test -e /.dockerenv && echo inside"})
    write = "write_file " + json.dumps({"path": "/tmp/a.txt", "content": "one\n"})
    read = "terminal " + json.dumps({"command": "cat /tmp/a.txt"})
    results = hermes.run("", "", call, write, read)["results"]
    assert results[0]["output"] == "inside"
    assert results[2]["output"] == "one"
