"""process, and terminal with background=true."""

from __future__ import annotations

import time


def start(h, command, **arguments):
    return h.terminal(command, background=True, **arguments)


def ended(h, session_id):
    return h.process("wait", session_id=session_id, timeout=20)


def case_start_and_wait(h):
    begun = start(h, "echo out; echo err >&2; exit 4")
    return [begun, ended(h, begun["session_id"])]


def case_poll(h):
    begun = start(h, "echo ready; sleep 60")
    for _ in range(100):
        polled = h.process("poll", session_id=begun["session_id"])
        if polled["status"] != "running":
            break
        time.sleep(0.02)
        if polled["output_preview"] or _ > 30:  # upstream shows a small output only at the end
            break
    killed = h.process("kill", session_id=begun["session_id"])
    return [sorted(polled), polled["status"], killed]


def case_poll_after_the_end(h):
    begun = start(h, "echo over")
    ended(h, begun["session_id"])
    return h.process("poll", session_id=begun["session_id"])


def case_log(h):
    begun = start(h, "seq 1 10")
    ended(h, begun["session_id"])
    return [
        h.process("log", session_id=begun["session_id"]),
        h.process("log", session_id=begun["session_id"], limit=3),
        h.process("log", session_id=begun["session_id"], offset=2, limit=3),
    ]


def case_wait_until_the_limit(h):
    begun = start(h, "sleep 60")
    waited = h.process("wait", session_id=begun["session_id"], timeout=1)
    h.process("kill", session_id=begun["session_id"])
    return waited


def case_kill_twice(h):
    begun = start(h, "sleep 60")
    return [
        h.process("kill", session_id=begun["session_id"]),
        h.process("kill", session_id=begun["session_id"]),
        h.process("poll", session_id=begun["session_id"])["exit_code"],
    ]


def case_terminal_takes_input(h):
    begun = start(h, "wc -w", pty=True)
    sent = h.process("submit", session_id=begun["session_id"], data="three words here")
    closed = h.process("close", session_id=begun["session_id"])
    over = ended(h, begun["session_id"])
    return [sent, closed, over["exit_code"], over["output"].split()[-1]]


def case_input_to_a_pipe(h):
    begun = start(h, "sleep 60")
    results = [
        h.process(action, session_id=begun["session_id"], data="x")
        for action in ("write", "submit", "close")
    ]
    h.process("kill", session_id=begun["session_id"])
    return results


def case_input_after_the_end(h):
    begun = start(h, "true", pty=True)
    ended(h, begun["session_id"])
    return [
        h.process(action, session_id=begun["session_id"], data="x")
        for action in ("write", "submit", "close")
    ]


def case_unknown_process(h):
    return [
        h.process(action, session_id="proc_000000000000", data="x")
        for action in ("poll", "log", "wait", "kill", "write", "submit", "close")
    ]


def case_missing_id(h):
    return [h.process(action) for action in ("poll", "log", "wait", "kill")]


def case_unknown_action(h):
    return h.process("restart")


def case_list(h):
    begun = start(h, "echo listed; sleep 60")
    mine = [p for p in h.process("list")["processes"] if p["session_id"] == begun["session_id"]]
    h.process("kill", session_id=begun["session_id"])
    return [sorted(mine[0]), mine[0]["command"], mine[0]["cwd"], mine[0]["status"]]


def case_working_directory(h):
    h.terminal("mkdir here")
    begun = start(h, "pwd", workdir=h.directory + "/here")
    return ended(h, begun["session_id"])


def case_notification(h):
    from tools.process_registry import process_registry

    begun = start(h, "sleep 2; echo finished", notify_on_complete=True)  # Hermes asks for it late
    event = process_registry.completion_queue.get(timeout=60)
    return [begun, event]


def case_watch(h):
    from tools.process_registry import process_registry

    begun = start(h, "sleep 2; echo ready to serve; sleep 1", watch_patterns=["ready"])
    event = process_registry.completion_queue.get(timeout=60)
    ended(h, begun["session_id"])
    return [
        begun,
        {key: event[key] for key in ("type", "pattern", "session_id", "command", "suppressed")},
    ]


def case_notification_that_was_read(h):
    from tools.process_registry import process_registry

    begun = start(h, "sleep 2; echo read", notify_on_complete=True)
    ended(h, begun["session_id"])
    time.sleep(0.5)
    return process_registry.drain_notifications()


def case_both_notices(h):
    begun = start(h, "true", notify_on_complete=True, watch_patterns=["x"])
    ended(h, begun["session_id"])
    return begun


def count_after_a_while(registry, wanted):
    """Hermes sees the end of what it killed a little later."""
    until = time.monotonic() + 20
    while registry.count_running() != wanted and time.monotonic() < until:
        time.sleep(0.05)
    return registry.count_running()


def case_registry_methods(h):
    from tools.process_registry import process_registry as registry

    registry.kill_all()
    count_after_a_while(registry, 0)
    begun = start(h, "sleep 60")
    running = [registry.has_active_processes("default"), registry.count_running()]
    session = registry.get(begun["session_id"])
    known = [session.command, session.exited, session.id == begun["session_id"]]
    killed = registry.kill_all("default")
    left = count_after_a_while(registry, 0)
    return [running, known, killed, left, registry.get("proc_000000000000")]
