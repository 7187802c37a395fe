#!/usr/bin/env python3
"""A gateway of somebody else's: the five routes of the managed protocol, and whatever a test wants it to say instead.

    gateway.py SCRIPT LOG     prints its port, serves 127.0.0.1 until its input ends

SCRIPT is JSON: for each of create, start, poll, cancel and terminate a list of answers, used one after the other; the last
one stays. Without a list the gateway does what is asked: execs really run, by `bash -c`. An answer is

    {"status": 200, "json": {...}}     "$EXEC" in it is the exec's id
    {"status": 200, "text": "..."}
    {"hang": true}                     nothing comes, and the connection stays
    {"drop": true}                     the connection is closed without a word
    {"drop_after": true}               the same, once it was done
    {"real": true}                     what is asked, after all

With "close": true the connection is not kept. LOG gets every request as a line of JSON.
"""

import http.server
import json
import os
import signal
import socketserver
import subprocess
import sys
import threading

SCRIPT = json.load(open(sys.argv[1]))
LOCK = threading.Lock()
EXECS = {}
CONNECTIONS = [0]


class Exec:
    """A command under way."""

    def __init__(self, body):
        self.id = body["execId"]
        self.status, self.output, self.code = "running", "", None
        self.cancelled = self.late = False
        self.process = subprocess.Popen(["bash", "-c", body["command"]], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=body.get("cwd"),
                                        start_new_session=True)
        self.timer = threading.Timer(body["timeoutMs"] / 1000, self.end, ["late"])
        self.timer.daemon = True
        self.timer.start()
        threading.Thread(target=self.run, args=[body.get("stdinData", "")], daemon=True).start()

    def run(self, data):
        output = self.process.communicate(data.encode())[0].decode(errors="replace")
        self.timer.cancel()
        with LOCK:
            self.output = output
            self.status, self.code = "completed", self.process.returncode
            if self.cancelled:
                self.status, self.code = "cancelled", 130
            if self.late:
                self.status, self.code = "timeout", 124

    def end(self, why):
        setattr(self, why, True)
        os.killpg(self.process.pid, signal.SIGKILL)

    def state(self):
        with LOCK:
            return {"execId": self.id, "status": self.status, "output": self.output, "returncode": self.code}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        CONNECTIONS[0] += 1
        self.number = CONNECTIONS[0]

    def log_message(self, *_):
        pass

    def send(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def act(self, route, words, body):
        """What is asked, and its answer."""
        if route == "create":
            return 200, {"id": "sb-1"}
        if route == "terminate":
            return 200, {"status": "terminated"}
        if route == "start":
            with LOCK:
                try:
                    if body["execId"] not in EXECS:
                        EXECS[body["execId"]] = Exec(body)
                except OSError as error:
                    return 200, {"execId": body["execId"], "status": "failed", "output": str(error), "returncode": 1}
            return 202, {"execId": body["execId"], "status": "running"}
        one = EXECS.get(words[4])
        if one is None:
            return 404, {"error": "no such exec"}
        if route == "cancel":
            one.end("cancelled")
            return 202, {"status": "cancelling"}
        return 200, one.state()

    def answer(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        words = self.path.strip("/").split("/")
        route = {2: "create", 4: "start", 5: "poll", 6: "cancel"}.get(len(words), "none")
        if words[-1] == "terminate":
            route = "terminate"
        with LOCK:
            with open(sys.argv[2], "a") as log:
                log.write(json.dumps({"route": route, "method": self.command, "path": self.path, "body": body,
                                      "headers": {name.lower(): value for name, value in self.headers.items()},
                                      "connection": self.number}) + "\n")
            told = SCRIPT.get(route, [{"real": True}])
            told = told.pop(0) if len(told) > 1 else told[0]
        if told.get("close"):
            self.close_connection = True
        if told.get("hang"):
            threading.Event().wait()
        if told.get("drop") or told.get("drop_after"):
            if told.get("drop_after"):
                self.act(route, words, body)
            self.close_connection = True
        elif told.get("real"):
            status, made = self.act(route, words, body)
            self.send(status, json.dumps(made).encode())
        elif "json" in told:
            text = json.dumps(told["json"], ensure_ascii=False)
            exec_id = body["execId"] if route == "start" else words[4] if len(words) > 4 else ""
            self.send(told["status"], text.replace("$EXEC", exec_id).encode())
        else:
            self.send(told["status"], told["text"].encode(), "text/html")

    do_GET = do_POST = answer


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
for left in EXECS.values():
    if left.process.poll() is None:
        left.end("cancelled")
