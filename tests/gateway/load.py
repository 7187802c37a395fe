#!/usr/bin/env python3
"""A load run: many clients use a gateway in every way there is and go away at random moments, in the
middle of a head, a body, a wait or a stream. Every answer is checked; at the end nothing may be left.

    load.py PROGRAM [--seconds 20] [--clients 32] [--target local] [--image IMAGE] [--seed N]

Uses TALARIA_HOME if that is set (an empty one), else a home below /tmp of its own. Starts the gateway
itself, and stops it and its runner. Prints a line of JSON; exits 1 if an answer was wrong, or if
descriptors, threads, memory, processes, directories, rows or gauges did not come back.
"""

import argparse
import asyncio
import base64
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

sys.dont_write_bytecode = True  # the sources stay as they are
from load_facts import Facts, processes_of  # noqa: E402

ENDED = {"completed", "failed", "cancelled", "timeout"}
PATIENCE = 60  # seconds for one answer, on a machine that has other work


class Dropped(Exception):
    """We went away, on purpose."""


class Wrong(Exception):
    pass


class Connection:
    """One keep-alive connection. With `drops` some requests are left at a random moment."""

    def __init__(self, run, drops=True):
        self.run = run
        self.drops = drops
        self.reader = self.writer = None

    async def open(self):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.run.port, limit=4 << 20)

    def close(self, reset=False):
        if self.writer is None:
            return
        if reset:  # RST in place of FIN
            self.writer.get_extra_info("socket").setsockopt(1, 13, (1).to_bytes(4, "little") + bytes(4))
            self.writer.transport.abort()
        else:
            self.writer.close()
        self.reader = self.writer = None

    def leave(self, where):
        self.run.counts["left in " + where] += 1
        self.close(reset=self.run.dice.random() < 0.5)
        raise Dropped()

    async def send(self, method, path, body=None, headers=None):
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Authorization: Bearer " + self.run.token]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if method != "GET":
            lines.append(f"Content-Length: {len(data)}")
        head = ("\r\n".join(lines) + "\r\n\r\n").encode()
        await self.open()
        self.run.counts["requests"] += 1
        place = self.run.dice.random() if self.drops else 1
        if place < 0.02:
            self.writer.write(head[:self.run.dice.randrange(1, len(head))])
            await self.writer.drain()
            self.leave("a head")
        if place < 0.04 and data:
            self.writer.write(head + data[:self.run.dice.randrange(len(data))])
            await self.writer.drain()
            self.leave("a body")
        self.writer.write(head + data)
        await self.writer.drain()
        if place < 0.08:
            await asyncio.sleep(self.run.dice.random() * 0.2)
            self.leave("a wait")

    async def head(self):
        text = await self.reader.readuntil(b"\r\n\r\n")
        first, *rest = text.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in rest if line)
        return int(first.split()[1]), headers

    async def answer(self):
        status, headers = await self.head()
        body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return status, body

    async def ask(self, method, path, body=None, headers=None):
        """One request; raises Dropped if we left, OSError if the server did."""
        await self.send(method, path, body, headers)
        try:
            status, text = await asyncio.wait_for(self.answer(), PATIENCE)
        except asyncio.IncompleteReadError as error:
            raise Wrong(f"{method} {path}: the connection was closed after {error.partial[:80]!r}")
        self.run.counts[f"{method} {status}"] += 1
        return status, json.loads(text) if text.startswith(b"{") else text

    async def events(self, path, last_id=None):
        """The events of a stream; leaves in its middle now and then."""
        await self.send("GET", path, headers={"Last-Event-ID": str(last_id)} if last_id else None)
        status, _ = await self.head()
        self.run.counts[f"stream {status}"] += 1
        if status != 200:
            self.close()
            raise Wrong(f"{path}: {status}")
        leave_at = self.run.dice.randrange(1, 30) if self.drops and self.run.dice.random() < 0.3 else None
        pending, pieces = b"", 0
        while True:
            size = int(await asyncio.wait_for(self.reader.readline(), PATIENCE), 16)
            pending += (await self.reader.readexactly(size + 2))[:-2]
            if size == 0:
                return
            pieces += 1
            if pieces == leave_at:
                self.leave("a stream")
            *whole, pending = pending.split(b"\n\n")
            for event in whole:
                fields = dict(line.split(": ", 1) for line in event.decode().split("\n") if not line.startswith(":"))
                if fields:
                    yield fields.get("event"), fields.get("id"), json.loads(fields["data"])


async def surely(connection, method, path, body=None, headers=None):
    """Asks until there is an answer, with the same words, as a client does that lost its connection."""
    while True:
        try:
            return await connection.ask(method, path, body, headers)
        except Dropped:
            continue


class Client:
    def __init__(self, run, number):
        self.run = run
        self.number = number
        self.http = Connection(run)
        self.sandbox = None
        self.left_alone = False
        self.commands = 0

    def check(self, what, got, expected):
        if got != expected:
            raise Wrong(f"{what}: {str(got)[:300]}, not {str(expected)[:300]}")

    async def work(self):
        while time.monotonic() < self.run.end:
            try:
                await self.one_sandbox()
            except Exception as error:  # a client must not die silently
                if self.left_alone and "404" in str(error):
                    self.run.counts["ended too early"] += 1  # we were slow, not the gateway
                else:
                    self.run.wrong.append(f"client {self.number}: {type(error).__name__}: {error}")
                self.http.close()
                if self.sandbox:
                    await surely(self.http, "POST", f"/v1/sandboxes/{self.sandbox}/terminate")
        self.http.close()

    async def one_sandbox(self):
        dice = self.run.dice
        self.left_alone = dice.random() < 0.1  # ends by itself
        wanted = {"idleTimeoutMs": 3000 if self.left_alone else 600000, **self.run.spec}
        status, made = await surely(self.http, "POST", "/v1/sandboxes", wanted, {"X-Idempotency-Key": str(uuid.uuid4())})
        if status not in (200, 201):
            raise Wrong(f"create: {status} {made}")
        self.run.counts["sandboxes"] += 1
        self.sandbox, self.commands = made["id"], 0
        self.execs = f"/v1/sandboxes/{self.sandbox}/execs"
        kinds = [self.short, self.short, self.loud, self.fed, self.spoken_to, self.cancelled, self.timed_out,
                 self.waited_for, self.streamed, self.with_children, self.looked_at]
        for _ in range(dice.randrange(1, 10)):
            kind = dice.choice(kinds)
            try:
                await kind()
            except Wrong as error:
                raise Wrong(f"{kind.__name__}: {error}")
            if time.monotonic() >= self.run.end:
                break
        await self.ran_once()
        if not self.left_alone:
            status, told = await surely(self.http, "POST", f"/v1/sandboxes/{self.sandbox}/terminate")
            self.check("terminate", (status, told.get("status")), (200, "terminated"))
            status, told = await surely(self.http, "GET", f"/v1/sandboxes/{self.sandbox}")
            self.check("after terminate", status, 404)
        self.sandbox = None

    def next_id(self):
        self.commands += 1
        return f"e{self.commands}"

    async def start(self, command, wait=None, **more):
        """Starts a command that leaves a mark when it runs, and returns its id and state."""
        name = self.next_id()
        body = {"execId": name, "command": f"echo {name} >> .marks; {command}", **more}
        path = self.execs + ("" if wait is None else f"?wait={wait}")
        status, state = await surely(self.http, "POST", path, body)
        if status not in (200, 202):
            raise Wrong(f"start: {status} {state}")
        self.run.counts["execs"] += 1
        return name, state

    async def ended(self, name, state=None):
        while state is None or state["status"] not in ENDED:
            wait = self.run.dice.choice(["", "?wait=100", "?wait=30000"])
            status, state = await surely(self.http, "GET", f"{self.execs}/{name}{wait}")
            self.check(f"poll of {name}", status, 200)
            if not wait:
                await asyncio.sleep(0.05)
        return state

    async def ends_as(self, name, state, status, code, output):
        state = await self.ended(name, state)
        self.check(name, (state["status"], state["returncode"], state["output"], state.get("reason")),
                   (status, code, output, state.get("reason")))

    async def short(self):
        code = self.run.dice.randrange(8)
        name, state = await self.start(f"echo out; echo err >&2; exit {code}")
        await self.ends_as(name, state, "completed", code, "out\nerr\n")

    async def loud(self):
        size = self.run.dice.choice([1, 4096, 65536, 1 << 20, (1 << 20) + 1, 3 << 20])
        name, state = await self.start(f"head -c {size} /dev/zero | tr '\\0' x", wait=30000)
        state = await self.ended(name, state)
        self.check("size", (state["status"], state["outputBytes"], state["truncated"]), ("completed", size, size > 1 << 20))
        if size <= 1 << 20:
            self.check("output", state["output"], "x" * size)

    async def fed(self):
        text = "input \u00e9\n" * self.run.dice.choice([0, 1, 1000, 20000])
        name, state = await self.start("wc -c", stdinData=text)
        await self.ends_as(name, state, "completed", 0, f"{len(text.encode())}\n")

    async def spoken_to(self):
        name, _ = await self.start("cat", wait=0, stdin=True)
        # Sent again it would be read twice: this one does not leave.
        sure = Connection(self.run, drops=False)
        for piece in ("one\n", "two\n"):
            status, told = await sure.ask("POST", f"{self.execs}/{name}/stdin", {"data": piece})
            self.check("stdin", (status, told), (200, {"taken": True}))
        data = base64.b64encode(b"three\n").decode()
        status, told = await sure.ask("POST", f"{self.execs}/{name}/stdin", {"dataBase64": data, "end": True})
        self.check("stdin", (status, told), (200, {"taken": True}))
        sure.close()
        await self.ends_as(name, None, "completed", 0, "one\ntwo\nthree\n")

    async def cancelled(self):
        name, _ = await self.start("sleep 300", wait=self.run.dice.choice([0, 50]))
        if self.run.dice.random() < 0.3:
            status, told = await surely(self.http, "POST", f"{self.execs}/{name}/signal", {"signal": "KILL"})
            if status not in (200, 409):  # sent twice it may have ended
                raise Wrong(f"signal: {status} {told}")
            await self.ends_as(name, None, "completed", -9, "")
            return
        status, _ = await surely(self.http, "POST", f"{self.execs}/{name}/cancel")
        if status not in (200, 202):
            raise Wrong(f"cancel: {status}")
        await self.ends_as(name, None, "cancelled", 130, "")

    async def timed_out(self):
        timeout = self.run.dice.randrange(500, 1500)
        name, state = await self.start("echo begun; sleep 300", timeoutMs=timeout)
        note = f"[Command timed out after {timeout / 1000:g}s]"
        await self.ends_as(name, state, "timeout", 124, "begun\n" + note)

    async def waited_for(self):
        name, state = await self.start("sleep 0.3; echo late", wait=30000)
        await self.ends_as(name, state, "completed", 0, "late\n")

    async def with_children(self):
        name, state = await self.start("sleep 300 & echo child", wait=30000)
        await self.ends_as(name, state, "completed", 0, "child\n")

    async def streamed(self):
        count = self.run.dice.choice([1, 100, 5000])
        name, _ = await self.start(f"for i in $(seq {count}); do echo line $i; done; sleep 0.1; echo end", wait=0)
        expected = "".join(f"line {i}\n" for i in range(1, count + 1)) + "end\n"
        got, at, end = "", 0, None
        while end is None:
            try:
                async for event, _, data in self.http.events(f"{self.execs}/{name}/output", at):
                    if event == "output":
                        self.check("from", data["from"], at)
                        got, at = got + data["data"], data["next"]
                    elif event == "end":
                        end = data
                    else:
                        raise Wrong(f"event {event}: {data}")
            except Dropped:
                continue
        self.check("stream", (got, end["status"], end["returncode"]), (expected, "completed", 0))

    async def looked_at(self):
        status, all_of_them = await surely(self.http, "GET", "/v1/sandboxes")
        self.check("list", (status, "sandboxes" in all_of_them), (200, True))
        status, one = await surely(self.http, "GET", f"/v1/sandboxes/{self.sandbox}")
        self.check("show", (status, one.get("id")), (200, self.sandbox))
        status, list_of_execs = await surely(self.http, "GET", self.execs)
        self.check("execs", (status, len(list_of_execs.get("execs", []))), (200, self.commands))
        status, _ = await surely(self.http, "GET", f"{self.execs}/none")
        self.check("unknown", status, 404)

    async def ran_once(self):
        """However often it was asked for. One that was cancelled at once may not have run."""
        body = {"execId": "marks", "command": "cat .marks 2>/dev/null"}
        status, state = await surely(self.http, "POST", self.execs + "?wait=30000", body)
        state = await self.ended("marks", state)
        twice = [mark for mark, times in collections.Counter(state["output"].split()).items() if times > 1]
        self.check("what ran twice", twice, [])


class Run:
    def __init__(self, options, home):
        self.options = options
        self.home = home
        self.dice = random.Random(options.seed)
        self.counts = collections.Counter()
        self.wrong = []
        self.spec = {"image": options.image} if options.image else {}
        self.env = {**os.environ, "HERMES_YOLO_MODE": "1", "TALARIA_HOME": str(home), "TERMINAL_CWD": str(home), "HOME": str(home),
                    "TALARIA_APPROVALS_HEADLESS": "deny"}
        self.token = self.talaria("token", "add", "load").strip()

    def talaria(self, *words):
        return subprocess.run([self.options.program, *words], env=self.env, check=True, capture_output=True, text=True).stdout

    def start(self):
        self.log = open(self.home / "gateway.log", "wb")
        self.gateway = subprocess.Popen(
            [self.options.program, "serve", "--listen", "127.0.0.1:0", "--log", "errors", "--target", self.options.target],
            env=self.env, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.gateway.stdout.readline()
        self.port = int(line.split("127.0.0.1:")[1].split(",")[0])

    def stop(self):
        self.gateway.terminate()
        if self.gateway.wait(30) != 0:
            self.wrong.append(f"the gateway ended with {self.gateway.returncode}")
        self.talaria("stop", "--all", "--force")

    async def metrics(self):
        connection = Connection(self, drops=False)
        _, text = await connection.ask("GET", "/metrics")
        connection.close()
        lines = (line.split() for line in text.decode().splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in lines if "{" not in name}

    def rows(self):
        with sqlite3.connect(self.home / "talaria" / "talaria.db") as database:
            return {"execs": database.execute("SELECT count(*) FROM execs").fetchone()[0],
                    "live sandboxes": database.execute("SELECT count(*) FROM sandboxes WHERE ended IS NULL").fetchone()[0]}

    async def facts(self):
        return Facts(self.gateway.pid, self.home, await self.metrics(), self.rows())

    async def quiet(self, like=None):
        """Facts when nothing goes on any more; `like`: or when they are as they were."""
        until = time.monotonic() + 45
        before = await self.facts()
        while time.monotonic() < until:
            await asyncio.sleep(1)
            now = await self.facts()
            if now.calm() and now.same(before) and (like is None or not now.more_than(like)):
                return now
            before = now
        return before

    async def warm_up(self):
        client = Client(self, -1)
        client.http.drops = False
        for kinds in range(3):
            await client.one_sandbox()
        client.http.close()

    async def load(self):
        self.end = time.monotonic() + 3600
        await self.warm_up()
        first = await self.quiet()
        begun = time.monotonic()
        self.end = begun + self.options.seconds
        clients = [asyncio.create_task(Client(self, number).work()) for number in range(self.options.clients)]
        sizes = []
        while any(not client.done() for client in clients):
            await asyncio.wait(clients, timeout=5)
            now = await self.facts()
            sizes.append((round(time.monotonic() - begun), now.gateway["rss"], now.runner_rss))
            if self.options.seconds > 60:
                print(f"{sizes[-1][0]} s: {self.counts['execs']} execs, gateway {now.gateway}, runners "
                      f"{now.runner_rss} KiB, {now.processes} processes, {len(self.wrong)} wrong", file=sys.stderr, flush=True)
        last = await self.quiet(first)
        self.wrong += last.more_than(first)
        early = [size for size in sizes if size[0] >= min(120, self.options.seconds / 3)] or sizes
        growth = last.gateway["rss"] - early[0][1]
        if growth > self.options.growth * 1024:
            self.wrong.append(f"the gateway grew by {growth} KiB since second {early[0][0]}")
        errors = (self.home / "gateway.log").read_text(errors="replace")
        lines = [line for line in errors.splitlines() if "has no isolation" not in line]
        self.wrong += [f"log: {line}" for line in lines[:5]]
        return {"seconds": self.options.seconds, "clients": self.options.clients, "counts": dict(sorted(self.counts.items())),
                "first": first.told(), "last": last.told(), "rss": sizes[:: max(1, len(sizes) // 12)], "wrong": self.wrong[:20]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--target", default="local")
    parser.add_argument("--image", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", type=int, default=24, help="MiB the gateway may grow after its first minutes")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    own = None if "TALARIA_HOME" in os.environ else tempfile.mkdtemp(prefix="talaria-load-")
    home = pathlib.Path(own or os.environ["TALARIA_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    run = Run(options, home)
    run.start()
    try:
        told = asyncio.run(run.load())
    finally:
        run.stop()
    until = time.monotonic() + 20
    while (left := processes_of(home)) and time.monotonic() < until:
        time.sleep(0.1)
    if left:
        run.wrong.append(f"processes are left: {left}")
    print(json.dumps({**told, "wrong": run.wrong[:20]}))
    if own and not run.wrong:
        shutil.rmtree(own)
    sys.exit(1 if run.wrong else 0)


if __name__ == "__main__":
    main()
