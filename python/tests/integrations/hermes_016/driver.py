"""Makes the calls of one group of cases and prints what each returned, as JSON.

    python driver.py GROUP             calls upstream's own tools
    python driver.py GROUP --talaria   calls the same names, served by talaria.integrations.hermes

A group is a file in cases/. Every case is a function that takes a Calls and returns JSON. It begins
in an empty directory of its own.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent


class Calls:
    """The tools, called as the agent calls them: by name, through Hermes' registry."""

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def tool(self, name: str, **arguments: Any) -> Any:
        from tools.registry import registry

        tools = {"enabled_tools": ["terminal", "read_file", "write_file", "search_files", "patch"]}
        extra = tools if name == "execute_code" else {}
        return json.loads(registry.dispatch(name, arguments, task_id="default", **extra))

    def terminal(self, command: str, **arguments: Any) -> Any:
        return self.tool("terminal", command=command, **arguments)

    def process(self, action: str, **arguments: Any) -> Any:
        return self.tool("process", action=action, **arguments)

    def code(self, code: str) -> Any:
        return self.tool("execute_code", code=code)

    def write(self, name: str, text: str) -> str:
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def text(self, name: str) -> str:
        with open(os.path.join(self.directory, name), encoding="utf-8", newline="") as file:
            return file.read()


def cases(group: str) -> Iterator[tuple[str, Callable[[Calls], Any]]]:
    spec = importlib.util.spec_from_file_location(group, HERE / "cases" / f"{group}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, value in vars(module).items():
        if name.startswith("case_"):
            yield name.removeprefix("case_"), value


def normal(value: Any, directory: str) -> Any:
    """The same for what differs from run to run: ids, pids, times and the directory of the case."""
    if isinstance(value, dict):
        return {
            normal(key, directory): normal_member(key, item, directory)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [normal(item, directory) for item in value]
    if isinstance(value, str):
        text = value.replace(os.path.realpath(directory), "DIR").replace(directory, "DIR")
        return re.sub(r"proc_[0-9a-f]{12}", "PROC", text)
    return value


def normal_member(key: str, value: Any, directory: str) -> Any:
    if key in ("pid", "uptime_seconds", "duration_seconds") and value is not None:
        return "NUMBER"
    if key in ("started_at",):
        return "TIME"
    return normal(value, directory)


def prepare(talaria: bool) -> None:
    if talaria:
        from talaria.integrations.hermes import adapter

        adapter.install()
    for module in ("terminal_tool", "process_registry", "file_tools", "code_execution_tool"):
        __import__(f"tools.{module}")


def main() -> int:
    group = sys.argv[1]
    prepare("--talaria" in sys.argv)
    results: dict[str, Any] = {}
    for name, case in cases(group):
        with tempfile.TemporaryDirectory(prefix="hermes-case-") as directory:
            calls = Calls(directory)
            calls.terminal(f"cd {directory}")
            try:
                results[name] = normal(case(calls), directory)
            except Exception as error:  # a case that fails on one side only is a difference
                results[name] = f"{type(error).__name__}: {error}"
            calls.terminal("cd /")
    print("RESULTS " + json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.stdout.flush()
    code = main()
    sys.stdout.flush()
    sys.exit(code)
