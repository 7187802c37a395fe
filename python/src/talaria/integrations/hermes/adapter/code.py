"""Over `tools.code_execution_tool`: Python scripts that call tools."""

from __future__ import annotations

import json

from . import connection


def names(module: str) -> list[str]:
    """What is laid over the module."""
    return ["execute_code"]


def execute_code(
    code: str, task_id: str | None = None, enabled_tools: list[str] | None = None
) -> str:
    """Runs a script at the target. It may call those of the enabled tools that scripts may call."""
    result = connection.tool(
        "execute_code", {"code": code}, task=connection.owner_of(task_id), tools=enabled_tools
    )
    return json.dumps(result, ensure_ascii=False)
