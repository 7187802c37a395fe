"""Over `tools.file_tools`: reading, writing, patching and searching files."""

from __future__ import annotations

import json
import posixpath
from typing import Any

from . import connection

NAMES = [
    "clear_file_ops_cache",
    "notify_other_tool_call",
    "patch_tool",
    "read_file_tool",
    "reset_file_dedup",
    "search_tool",
    "write_file_tool",
]


def names(module: str) -> list[str]:
    """What is laid over the module."""
    return NAMES


_readers: set[str] = set()  # tasks that have read something


def _call(name: str, task_id: str | None, **arguments: Any) -> str:
    result = connection.tool(name, arguments, task=connection.owner_of(task_id))
    return json.dumps(result, ensure_ascii=False)


def read_file_tool(path: str, offset: int = 1, limit: int = 500, task_id: str = "default") -> str:
    """Reads a part of a file, with line numbers. What a task has read is known for each task: a
    subagent has not seen what its agent has read."""
    task = task_id or connection.DEFAULT_TASK
    owner = connection.owner_of(task)
    if task != owner and not path.startswith(("/", "~")):
        path = posixpath.join(connection.client().task(owner).cwd(), path)
    _readers.add(task)
    arguments = {"path": path, "offset": offset, "limit": limit}
    return json.dumps(connection.tool("read_file", arguments, task=task), ensure_ascii=False)


def write_file_tool(
    path: str, content: str, task_id: str = "default", cross_profile: bool = False
) -> str:
    """Replaces a file."""
    return _call("write_file", task_id, path=path, content=content)


def patch_tool(
    mode: str = "replace",
    path: str | None = None,
    old_string: str | None = None,
    new_string: str | None = None,
    replace_all: bool = False,
    patch: str | None = None,
    task_id: str = "default",
    cross_profile: bool = False,
) -> str:
    """Changes a file by a replacement, or files by a patch in the V4A format."""
    return _call(
        "patch",
        task_id,
        mode=mode,
        path=path,
        old_string=old_string,
        new_string=new_string,
        replace_all=replace_all or None,
        patch=patch,
    )


def search_tool(
    pattern: str,
    target: str = "content",
    path: str = ".",
    file_glob: str | None = None,
    limit: int = 50,
    offset: int = 0,
    output_mode: str = "content",
    context: int = 0,
    task_id: str = "default",
) -> str:
    """Searches the content of files, or their names."""
    return _call(
        "search_files",
        task_id,
        pattern=pattern,
        target=target,
        path=path,
        file_glob=file_glob,
        limit=limit,
        offset=offset,
        output_mode=output_mode,
        context=context,
    )


def reset_file_dedup(task_id: str | None = None) -> None:
    """The model's context was shortened: what it has read is shown again."""
    for task in [task_id] if task_id else list(_readers):
        connection.call("reads.forget", {"task": task})


def notify_other_tool_call(task_id: str = "default") -> None:
    """Nothing to do: Talaria sees its own tool calls itself."""


def clear_file_ops_cache(task_id: str | None = None) -> None:
    """Nothing to do: there is no such cache."""
