#!/usr/bin/env python3
"""A client that does what the client of Hermes does (managed Modal): the same requests with the same
headers, the same polling, the same reading of answers, on Python's own HTTP. Prints one line of JSON
for each thing it was told to do.

    hermes_client.py ORIGIN TOKEN COMMAND...      runs each in one sandbox, then cleans up
"""

import json
import sys
import time
import urllib.error
import urllib.request
import uuid

ENDED = {"completed", "failed", "cancelled", "timeout"}


class Gateway:
    def __init__(self, origin, token):
        self.origin = origin.rstrip("/")
        self.token = token

    def ask(self, method, path, body=None, timeout=30, headers=None):
        request = urllib.request.Request(self.origin + path, method=method)
        request.add_header("Authorization", "Bearer " + self.token)
        request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=timeout) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


class Environment:
    def __init__(self, gateway, cwd="/root", timeout=60, persistent=True, task="default"):
        self.gateway = gateway
        self.cwd = cwd
        self.persistent = persistent
        self.session = uuid.uuid4().hex[:12]
        status, answer = gateway.ask("POST", "/v1/sandboxes", {
            "image": "some/image:latest", "cwd": cwd, "cpu": 1, "memoryMiB": 5120.0,
            "timeoutMs": 3_600_000, "idleTimeoutMs": max(300_000, timeout * 1000),
            "persistentFilesystem": persistent, "logicalKey": task,
        }, 60, {"x-idempotency-key": str(uuid.uuid4())})
        if status >= 400:
            raise RuntimeError(f"create failed: {status} {answer!r}")
        self.id = json.loads(answer)["id"]

    def wrapped(self, command):
        """The shell text of Hermes around a command: where it ends up is printed behind it."""
        marker = f"__HERMES_CWD_{self.session}__"
        quoted = command.replace("'", "'\\''")
        return "\n".join([
            f"eval '{quoted}'", "__hermes_ec=$?",
            f"printf '\\n{marker}%s{marker}\\n' \"$(pwd -P)\"", "exit $__hermes_ec"])

    def execute(self, command, timeout=60):
        exec_id = str(uuid.uuid4())
        path = f"/v1/sandboxes/{self.id}/execs"
        status, answer = self.gateway.ask(
            "POST", path,
            {"execId": exec_id, "command": self.wrapped(command), "timeoutMs": int(timeout * 1000)}, 10)
        if status >= 400:
            return {"output": f"exec failed: {answer!r}", "returncode": 1, "polls": 0}
        body = json.loads(answer)
        polls = 0
        while body.get("status") not in ENDED:
            if polls == 0:
                assert body.get("execId") == exec_id, body
            time.sleep(0.25 if polls else 0)
            status, answer = self.gateway.ask("GET", f"{path}/{exec_id}", timeout=5)
            if status >= 400:
                return {"output": f"poll failed: {answer!r}", "returncode": 1, "polls": polls}
            body = json.loads(answer)
            polls += 1
        result = {"output": body.get("output", ""), "returncode": body.get("returncode", 1), "polls": polls}
        marker = f"__HERMES_CWD_{self.session}__"
        last = result["output"].rfind(marker)
        first = result["output"].rfind(marker, 0, last)
        if first >= 0:
            self.cwd = result["output"][first + len(marker):last].strip()
            result["output"] = result["output"][:first].rstrip("\n") + "\n"
        result["cwd"] = self.cwd
        return result

    def cleanup(self):
        return self.gateway.ask("POST", f"/v1/sandboxes/{self.id}/terminate",
                                {"snapshotBeforeTerminate": self.persistent}, 60)[0]


def main():
    environment = Environment(Gateway(sys.argv[1], sys.argv[2]))
    for command in sys.argv[3:]:
        print(json.dumps(environment.execute(command)), flush=True)
    print(json.dumps({"cleanup": environment.cleanup()}), flush=True)


if __name__ == "__main__":
    main()
