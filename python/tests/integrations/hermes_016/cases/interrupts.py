"""The agent is interrupted: Hermes marks the thread of the call."""

from __future__ import annotations

import contextlib
import threading


@contextlib.contextmanager
def interrupted_after(seconds):
    from tools.interrupt import set_interrupt

    caller = threading.get_ident()
    timer = threading.Timer(seconds, set_interrupt, (True, caller))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        set_interrupt(False, caller)


def case_command(h):
    with interrupted_after(1):
        return h.terminal("echo begun; sleep 60")


def case_the_next_command_runs(h):
    with interrupted_after(1):
        h.terminal("sleep 60")
    return h.terminal("echo again")


def case_nothing_is_left(h):
    with interrupted_after(1):
        h.terminal("echo $$ > pid; sleep 60")
    return h.terminal("kill -0 $(cat pid) 2>/dev/null")["exit_code"]


def case_wait_for_a_process(h):
    begun = h.terminal("echo here; sleep 60", background=True)
    with interrupted_after(1):
        waited = h.process("wait", session_id=begun["session_id"], timeout=30)
    still = h.process("poll", session_id=begun["session_id"])["status"]
    h.process("kill", session_id=begun["session_id"])
    return [waited["status"], waited.get("note"), still]


def case_script(h):
    with interrupted_after(1.5):
        result = h.code("import time\nprint('begun', flush=True)\ntime.sleep(60)")
    return [result["status"], "begun" in result["output"]]
