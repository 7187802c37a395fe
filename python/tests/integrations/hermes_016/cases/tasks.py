"""Tasks and their environments: overrides, the live environment, cleaning up."""

from __future__ import annotations

import json


def run(task, command, **arguments):
    from tools.terminal_tool import terminal_tool

    return json.loads(terminal_tool(command, task_id=task, **arguments))


def case_subagents_share_the_session(h):
    run("parent", f"cd {h.directory}; export SHARED=yes")
    return run("child", "echo $SHARED; pwd")["output"]


def case_task_with_a_directory_of_its_own(h):
    from tools import terminal_tool

    terminal_tool.register_task_env_overrides("job", {"cwd": "/usr"})
    try:
        return run("job", "pwd")["output"]
    finally:
        terminal_tool.clear_task_env_overrides("job")


def case_no_environment_yet(h):
    from tools import terminal_tool

    return terminal_tool.get_active_env("never-used") is None


def case_live_environment(h):
    from tools import terminal_tool

    run("default", f"cd {h.directory}")
    env = terminal_tool.get_active_env("default")
    done = env.execute("echo through the environment; pwd")
    return [done["output"], done["returncode"], env.cwd]


def case_cleanup(h):
    from tools import terminal_tool

    run("default", "true")
    terminal_tool.cleanup_vm("default")
    gone = terminal_tool.get_active_env("default") is None
    return [gone, run("default", "echo again")["output"]]


def case_chat_that_approves(h):
    """A person in a chat: Hermes notifies, and somebody answers later."""
    import os
    import threading

    from tools import approval

    seen = []

    def notify(question):
        seen.append(question["command"])
        threading.Timer(0.3, approval.resolve_gateway_approval, ("chat-1", "once")).start()

    h.write("keep/a", "x")
    approval.register_gateway_notify("chat-1", notify)
    token = approval.set_current_session_key("chat-1")
    os.environ["HERMES_EXEC_ASK"] = "1"
    try:
        result = h.terminal("rm -rf keep; ls")
    finally:
        del os.environ["HERMES_EXEC_ASK"]
        approval.reset_current_session_key(token)
        approval.unregister_gateway_notify("chat-1")
    return [result["output"], result["exit_code"], "approval" in result, seen]


def case_force_runs_what_a_person_has_approved(h):
    h.write("keep/a", "x")
    return [run("default", "rm -rf keep; ls", force=True)["exit_code"], h.terminal("ls")["output"]]


def read(task, path):
    from tools.file_tools import read_file_tool

    return json.loads(read_file_tool(path, task_id=task))


def case_what_was_read_is_known_for_each_task(h):
    path = h.write("a.txt", "alpha")
    run("parent", f"cd {h.directory}")
    first = read("parent-1", path)
    again = read("parent-1", path).get("status")
    child = read("child-1", "a.txt")
    return [first["content"], again, child["content"]]


def case_reads_are_forgotten(h):
    from tools.file_tools import reset_file_dedup

    path = h.write("a.txt", "alpha")
    read("reader", path)
    reset_file_dedup("reader")
    one = read("reader", path).get("content")
    reset_file_dedup()
    return [one, read("reader", path).get("content")]
