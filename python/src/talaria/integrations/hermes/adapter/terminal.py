"""Over `tools.terminal_tool`: commands, and the environments of tasks."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from talaria.errors import NotFound, TalariaError

from . import connection, environments, questions

NAMES = [
    "_create_environment",
    "cleanup_all_environments",
    "cleanup_vm",
    "clear_task_env_overrides",
    "get_active_env",
    "is_persistent_env",
    "register_task_env_overrides",
    "terminal_tool",
]
_used: set[str] = set()  # tasks with an environment


def names(module: str) -> list[str]:
    """What is laid over the module."""
    return NAMES


def terminal_tool(
    command: str,
    background: bool = False,
    timeout: int | None = None,
    task_id: str | None = None,
    force: bool = False,
    workdir: str | None = None,
    pty: bool = False,
    notify_on_complete: bool = False,
    watch_patterns: list[str] | None = None,
) -> str:
    """Runs a command, or starts it in the background. `force`: the person has approved it."""
    task = connection.owner_of(task_id)
    arguments = {
        "command": command,
        "background": background or None,
        "timeout": timeout,
        "workdir": workdir,
        "pty": pty or None,
        "notify_on_complete": notify_on_complete or None,
        "watch_patterns": watch_patterns,
    }
    if force:
        _approve(command, task)
    _used.add(task)
    if background and (notify_on_complete or watch_patterns):
        from .processes import process_registry

        process_registry.listen()
    return json.dumps(connection.tool("terminal", arguments, task=task), ensure_ascii=False)


def _approve(command: str, task: str) -> None:
    with contextlib.suppress(TalariaError):  # what is never allowed stays so, and the call says it
        connection.call(
            "approvals.grant",
            {"command": command, "task": task, "session_key": questions.session_key()},
        )


def get_active_env(task_id: str) -> Any:
    """The environment of a task that has used one, else None."""
    task = connection.owner_of(task_id)
    return environments.of_task(task) if task in _used else None


def is_persistent_env(task_id: str) -> bool:
    """Whether the files of the task's environment are kept."""
    task = connection.owner_of(task_id)
    return any(one.get("persistent") for one in _environments() if task in one["tasks"])


def cleanup_vm(task_id: str, *, force_remove: bool = False) -> None:
    """Closes the environment of a task; with `force_remove` also what would outlast it. A subagent
    that uses its agent's environment has none to close."""
    task = task_id or connection.DEFAULT_TASK
    if task not in _used:
        return
    _used.discard(task)
    for one in _environments():
        if task in one["tasks"]:
            _remove({"id": one["id"], "force": force_remove})


def cleanup_all_environments() -> int:
    """Closes all of them. Returns how many there were."""
    _used.clear()
    return _remove({"all": True})


def register_task_env_overrides(task_id: str, overrides: dict[str, Any]) -> None:
    """Gives a task settings of its own, for example an image."""
    given = {name: str(value) for name, value in overrides.items() if value is not None}
    connection.override(task_id, given)


def clear_task_env_overrides(task_id: str) -> None:
    """Takes them back."""
    connection.override(task_id, None)


def _environments() -> list[dict[str, Any]]:
    return connection.call("env.list", {})["environments"]


def _remove(params: dict[str, Any]) -> int:
    try:
        return connection.call("env.remove", params)["removed"]
    except NotFound:
        return 0


def _create_environment(
    env_type: str,
    image: str,
    cwd: str,
    timeout: int,
    ssh_config: dict[str, Any] | None = None,
    container_config: dict[str, Any] | None = None,
    local_config: dict[str, Any] | None = None,
    task_id: str = "default",
    host_cwd: str | None = None,
) -> Any:
    """Makes an environment of one kind."""
    return environments.create(
        env_type,
        image=image,
        cwd=cwd,
        timeout=timeout,
        ssh=ssh_config or {},
        container=container_config or {},
        task_id=task_id,
        host_cwd=host_cwd,
    )
