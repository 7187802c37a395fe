"""Commands that need approval: who is asked, and what the model gets for each answer."""

from __future__ import annotations

import contextlib
import os


@contextlib.contextmanager
def person(answer, asked):
    """Somebody at the terminal who gives this answer; asked collects the questions."""
    from tools import terminal_tool

    def approve(command, description, **options):
        asked.append([command, bool(description)])
        return answer

    os.environ["HERMES_INTERACTIVE"] = "1"
    terminal_tool.set_approval_callback(approve)
    try:
        yield
    finally:
        terminal_tool.set_approval_callback(None)
        del os.environ["HERMES_INTERACTIVE"]


def brief(result):
    return {
        "exit_code": result["exit_code"],
        "status": result.get("status"),
        "blocked": "BLOCKED" in str(result.get("error")),
        "approved": "was approved by the user" in str(result.get("approval")),
        "output": result["output"],
    }


def case_once(h):
    asked = []
    with person("once", asked):
        first = brief(h.terminal("chmod 777 . && echo done"))
        second = brief(h.terminal("chmod 777 . && echo done"))
    return [first, second, len(asked)]


def case_session(h):
    asked = []
    with person("session", asked):
        h.terminal("git reset --hard 2>/dev/null; echo one")
        h.terminal("git reset --hard 2>/dev/null; echo one")
    return len(asked)


def case_deny(h):
    h.write("keep/a", "x")
    asked = []
    with person("deny", asked):
        result = h.terminal("rm -rf keep")
    return [brief(result), asked, h.terminal("ls")["output"]]


def case_never_allowed(h):
    asked = []
    with person("once", asked):
        result = h.terminal("mkfs.ext4 /dev/absent-device")
    return [brief(result), asked]


def case_harmless_commands_ask_nobody(h):
    asked = []
    with person("deny", asked):
        results = [
            h.terminal(command)["exit_code"]
            for command in ("ls", "rm -f absent", "git status >/dev/null 2>&1; true")
        ]
    return [results, asked]


def case_background(h):
    h.write("keep/a", "x")
    asked = []
    with person("deny", asked):
        result = h.terminal("rm -rf keep && sleep 5", background=True)
    return [result["exit_code"], result.get("status"), len(asked)]
