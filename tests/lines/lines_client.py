"""A client of JSON lines for tests. Every line that goes out or comes in is held against the schema
(docs/reference/json-lines.schema.json)."""

import json
import os
import queue
import subprocess
import threading

PATIENCE = float(os.environ.get("TALARIA_TEST_PATIENCE", "30"))


class Refused(Exception):
    """The answer to a request is an error."""

    def __init__(self, error):
        super().__init__(f"{error['kind']}: {error['message']}")
        self.error = error
        self.kind = error["kind"]
        self.message = error["message"]


class Request:
    """One that was sent: its parts, and its answer."""

    def __init__(self, client, number, method):
        self.client = client
        self.id = number
        self.method = method
        self.parts = queue.Queue()
        self.answered = threading.Event()
        self.answer = None

    def part(self, patience=PATIENCE):
        return self.parts.get(timeout=patience)

    def all_parts(self):
        found = []
        while not self.parts.empty():
            found.append(self.parts.get())
        return found

    def result(self, patience=PATIENCE):
        if not self.answered.wait(patience):
            raise AssertionError(f"no answer to {self.id} ({self.method})")
        if "error" in self.answer:
            raise Refused(self.answer["error"])
        return self.answer["result"]

    def cancel(self):
        return self.client.send_line({"id": self.client.new_id(), "cancel": self.id})

    def more(self, count):
        return self.client.call("stream.more", request=self.id, bytes=count)

    def write(self, data="", end=False):
        params = {"request": self.id, "end": end}
        if isinstance(data, bytes):
            import base64
            params["data64"] = base64.b64encode(data).decode()
        else:
            params["data"] = data
        return self.client.call("stream.write", **params)


class LinesClient:
    def __init__(self, *words, schema=None, env=None, reads=True):
        self.schema = schema
        self.flaws = []
        self.last = 0
        self.lock = threading.Lock()
        self.requests = {}
        self.events = queue.Queue()
        self.strange = queue.Queue()
        self.program = subprocess.Popen(
            words or [os.environ["TALARIA_PROGRAM"], "call", "--lines"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0)
        self.may_read = threading.Event()
        if reads:
            self.may_read.set()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def new_id(self):
        with self.lock:
            self.last += 1
            return self.last

    def close(self):
        if self.program.poll() is None:
            try:
                self.program.stdin.close()
            except OSError:
                pass
        self.may_read.set()
        code = self.program.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.program.stdout.close()
        assert not self.flaws, "\n".join(self.flaws)
        return code

    def send_text(self, text):
        self.program.stdin.write(text.encode())

    def send_line(self, message, method=None):
        request = Request(self, message.get("id"), method)
        if "id" in message:
            self.requests[message["id"]] = request
        self.send_text(json.dumps(message) + "\n")
        return request

    def start(self, method, **params):
        message = {"id": self.new_id(), "method": method, "params": params}
        if self.schema:
            self.flaws += [f"sent {method}: {flaw}" for flaw in self.schema.request_flaws(message)]
        return self.send_line(message, method)

    def start_unchecked(self, method, params):
        return self.send_line({"id": self.new_id(), "method": method, "params": params}, method)

    def call(self, method, **params):
        return self.start(method, **params).result()

    def tool(self, name, args, **more):
        message = {"id": self.new_id(), "tool": name, "args": args, **more}
        if self.schema:
            self.flaws += [f"sent {name}: {flaw}" for flaw in self.schema.request_flaws(message)]
        return self.send_line(message, "tool").result()

    def refused(self, method, params):
        try:
            self.start_unchecked(method, params).result()
        except Refused as refusal:
            return refusal
        raise AssertionError(f"{method} {params} was not refused")

    def _read(self):
        buffer = b""
        while True:
            self.may_read.wait()
            chunk = os.read(self.program.stdout.fileno(), 65536)
            if not chunk:
                return
            buffer += chunk
            *lines, buffer = buffer.split(b"\n")
            for line in lines:
                self._take(json.loads(line))

    def _take(self, message):
        request = self.requests.get(message.get("id")) if "id" in message else None
        if self.schema:
            method = request.method if request else None
            self.flaws += [f"got {method}: {flaw}" for flaw in self.schema.answer_flaws(message, method)]
        if "event" in message:
            self.events.put(message["event"])
        elif request is None:
            self.strange.put(message)
        elif "part" in message:
            request.parts.put(message["part"])
        else:
            request.answer = message
            request.answered.set()
