#!/usr/bin/env python3
"""A long run, compressed: many commands and background processes of one program, one after the other
in many sessions. At the end everything must be as it was at the beginning.

    soak.py PROGRAM [--commands 100000] [--processes 10000] [--sessions 16]

Uses a home of its own below /tmp. Prints a table of what the program, its runner and its home hold
after 0, 25, 50, 75 and 100 % of the work. Exits 1 if a command failed, or if descriptors, memory,
threads, processes, cgroups, files or rows did not come back.

What is kept for days is made old at each quarter, so that the program removes it: that stands for
the time which does not pass here.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the sources stay as they are
from soak_facts import Facts, FACTS, cgroups_of, make_old, processes_of, runner_of  # noqa: E402

QUARTERS = 4
WARM_UP = 0.02  # of the work, before the beginning is measured
SETTLE = 30  # seconds for what ends by itself
PRUNE_AFTER = 256  # processes, after which the store clears up


class Failed(Exception):
    pass


class Lines:
    """`talaria call --lines`, with several requests under way."""

    def __init__(self, program, home):
        variables = dict(os.environ, TALARIA_HOME=str(home), HOME=str(home), TERMINAL_ENV="local")
        self.process = subprocess.Popen([program, "call", "--lines"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=variables, cwd=home)
        self.last = 0
        # As an agent does: events that nobody takes are kept at the runner.
        self.ask({"method": "events.subscribe", "params": {"consumer": "soak"}})
        self.receive()

    def send(self, task, tool, arguments):
        return self.ask({"tool": tool, "args": arguments, "task": task})

    def ask(self, request):
        self.last += 1
        self.process.stdin.write(json.dumps({"id": self.last, **request}).encode() + b"\n")
        self.process.stdin.flush()
        return self.last

    def receive(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Failed("the program has ended")
            answer = json.loads(line)
            if "event" not in answer:
                return answer["id"], answer.get("result", answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


# Each leaves something that has to go again: output, state, children, files.
COMMANDS = ["true", "echo $((6 * 7))", "cd /tmp && export SOAK=$$ && cd ~", "seq 20000",
            "f() { echo \"$1\"; }; f x; unset -f f", "cat <<< \"$SOAK\" | wc -c", "(exit 0)",
            "sleep 0 & wait"]
PROCESSES = ["true", "seq 2000", "sleep 0.05; echo late"]


class Session:
    """Sends its next request when the last one was answered."""

    def __init__(self, run, number):
        self.run = run
        self.task = f"soak-{number}"
        self.process = None
        self.count = number

    def next(self):
        if self.process is not None:
            arguments = {"action": "wait", "session_id": self.process, "timeout": 60}
            self.process = None
            return self.run.lines.send(self.task, "process", arguments)
        self.count += 1
        if self.run.wants_process():
            command = PROCESSES[self.count % len(PROCESSES)]
            return self.run.lines.send(self.task, "terminal", {"command": command, "background": True})
        if self.run.wants_command():
            command = COMMANDS[self.count % len(COMMANDS)]
            return self.run.lines.send(self.task, "terminal", {"command": command, "force": True})
        return None

    def take(self, result):
        if result.get("error") or result.get("exit_code", 0) != 0:
            raise Failed(json.dumps(result)[:500])
        if result.get("session_id") and result.get("status") != "exited":
            self.process = result["session_id"]


class Run:
    def __init__(self, options, home):
        self.options = options
        self.home = home
        self.lines = Lines(options.program, home)
        self.commands = self.processes = 0  # that were sent
        self.commands_up_to = self.processes_up_to = 0
        self.sessions = [Session(self, number) for number in range(options.sessions)]

    def wants_command(self):
        self.commands += 1
        return self.commands <= self.commands_up_to

    def wants_process(self):
        due = self.processes_up_to * self.commands // max(self.commands_up_to, 1)
        if self.processes >= min(due, self.processes_up_to):
            return False
        self.processes += 1
        return True

    def work(self, part):
        """Up to this part of all there is to do."""
        self.commands_up_to = int(self.options.commands * part)
        self.processes_up_to = int(self.options.processes * part)
        self.commands = min(self.commands, self.commands_up_to)
        under_way = {}
        for session in self.sessions:
            if number := session.next():
                under_way[number] = session
        while under_way:
            number, result = self.lines.receive()
            session = under_way.pop(number)
            session.take(result)
            if number := session.next():
                under_way[number] = session

    def facts(self, like=None):
        """When nothing changes any more, or is as it was."""
        make_old(self.home)
        for _ in range(PRUNE_AFTER):
            self.lines.send("soak-0", "terminal", {"command": "true", "background": True})
            process = self.lines.receive()[1]["session_id"]
            self.lines.send("soak-0", "process", {"action": "wait", "session_id": process})
            self.lines.receive()
        until = time.monotonic() + SETTLE
        facts = Facts(self.lines.process.pid, self.home)
        while time.monotonic() < until and (like is None or facts.more_than(like)):
            time.sleep(1)
            before, facts = facts, Facts(self.lines.process.pid, self.home)
            if like is None and before.same(facts):
                break
        return facts


def print_row(part, facts, seconds):
    values = "".join(f"{facts.values[name]:>{max(len(name), 8) + 2}}" for name in FACTS)
    print(f"{part * 100:5.0f} %{seconds:>9.0f} s{values}", flush=True)


def soak(options, home):
    run = Run(options, home)
    began = time.monotonic()
    run.work(WARM_UP)
    first = last = run.facts()
    print("  work     time  " + "".join(f"{name:>{max(len(name), 8) + 2}}" for name in FACTS))
    print_row(0, first, 0)
    for quarter in range(1, QUARTERS + 1):
        run.work(quarter / QUARTERS)
        last = run.facts(like=first)
        print_row(quarter / QUARTERS, last, time.monotonic() - began)
    run.lines.close()
    return last.more_than(first)


def left_of(runner, home):
    """What is still there a moment after the runner has ended."""
    until = time.monotonic() + SETTLE
    while True:
        left = {"processes": processes_of(home), "cgroups": cgroups_of(runner) if runner else 0}
        if not any(left.values()) or time.monotonic() > until:
            return left
        time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("--commands", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=16)
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    home = pathlib.Path(tempfile.mkdtemp(prefix="talaria-soak-"))
    try:
        wrong = soak(options, home)
    except Failed as failure:
        wrong = [f"a command failed: {failure}"]
    finally:
        runner = runner_of(home)
        subprocess.run([options.program, "stop", "--all", "--force"], check=False,
                       env=dict(os.environ, TALARIA_HOME=str(home), HOME=str(home)),
                       stdout=subprocess.DEVNULL)
        left = left_of(runner, home)
        shutil.rmtree(home, ignore_errors=True)
    wrong += [f"{count} {name} are left of the runner" for name, count in left.items() if count > 0]
    for what in wrong:
        print("did not come back: " + what)
    if not wrong:
        print(f"{options.commands} commands and {options.processes} processes: everything came back")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
