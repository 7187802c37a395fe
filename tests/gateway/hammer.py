#!/usr/bin/env python3
"""Clients that do not give up: each runs commands one after the other, in a few sandboxes, and sends a request again, as
it was, until it is answered. Every command adds a line to a file and prints what it did. At the end
each line has to be there once, and each answer has to be right.

    hammer.py PORT_FILE TOKEN DIRECTORY CLIENTS COMMANDS

The port is read anew before every connection: the gateway is killed and started again meanwhile.
Prints a line of JSON; exits 1 if something ran twice, not at all, or was told wrongly.
"""

import http.client
import json
import pathlib
import sys
import threading
import time
import uuid

ENDED = {"completed", "failed", "cancelled", "timeout"}
IN_ONE_SANDBOX = 4
DEADLINE = time.monotonic() + 100


class Client:
    def __init__(self, port_file, token):
        self.port_file = port_file
        self.token = token
        self.connection = None
        self.retries = 0

    def ask(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body)
        while time.monotonic() < DEADLINE:
            try:
                if self.connection is None:
                    port = int(self.port_file.read_text())
                    self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=35)
                self.connection.request(method, path, data, {
                    "Authorization": "Bearer " + self.token, "Content-Type": "application/json",
                    "Host": "localhost", **(headers or {})})
                answer = self.connection.getresponse()
                text = answer.read()
                if answer.status < 500 and answer.status != 429:
                    return answer.status, json.loads(text)
            except (OSError, http.client.HTTPException, ValueError):
                self.connection = None
            self.retries += 1
            time.sleep(0.02)
        raise TimeoutError(path)


def work(client, number, commands, log, wrong):
    try:
        for first in range(0, commands, IN_ONE_SANDBOX):
            use_sandbox(client, number, range(first, min(first + IN_ONE_SANDBOX, commands)), log, wrong)
    except Exception as error:  # a thread must not die silently
        wrong.append(f"client {number}: {error!r}")


def use_sandbox(client, number, commands, log, wrong):
    status, sandbox = client.ask("POST", "/v1/sandboxes", {}, {"x-idempotency-key": str(uuid.uuid4())})
    if status not in (200, 201):
        return wrong.append(f"create: {status} {sandbox}")
    path = f"/v1/sandboxes/{sandbox['id']}/execs"
    for i in commands:
        name = f"{number}-{i}"
        nap = "sleep 0.2; " if i % 3 == 0 else ""
        body = {"execId": name, "command": f"{nap}cat; echo {name} >> {log}; echo done {name}; exit {i % 7}",
                "stdinData": f"input {name}\n", "timeoutMs": 90000}
        status, answer = client.ask("POST", path + "?wait=1000", body)
        while status < 400 and answer["status"] not in ENDED:
            status, answer = client.ask("GET", f"{path}/{name}?wait=5000")
            if status == 404:  # it was never taken: the gateway died before it had it
                status, answer = client.ask("POST", path + "?wait=1000", body)
        expected = (200, "completed", f"input {name}\ndone {name}\n", i % 7)
        got = (status, answer.get("status"), answer.get("output"), answer.get("returncode"))
        if got != expected:
            wrong.append(f"{name}: {got}")
    status, answer = client.ask("POST", f"/v1/sandboxes/{sandbox['id']}/terminate", {})
    if (status, answer.get("status")) != (200, "terminated"):
        wrong.append(f"terminate: {status} {answer}")


def main():
    port_file, token, directory = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    clients, commands = int(sys.argv[4]), int(sys.argv[5])
    log, wrong = directory / "log", []
    log.touch()
    all_clients = [Client(port_file, token) for _ in range(clients)]
    threads = [threading.Thread(target=work, args=(client, number, commands, log, wrong))
               for number, client in enumerate(all_clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = log.read_text().split()
    expected = sorted(f"{n}-{i}" for n in range(clients) for i in range(commands))
    if sorted(lines) != expected:
        twice = sorted({line for line in lines if lines.count(line) > 1})
        missing = sorted(set(expected) - set(lines))
        wrong.append(f"ran twice: {twice}; never ran: {missing}")
    print(json.dumps({"execs": len(lines), "retries": sum(client.retries for client in all_clients), "wrong": wrong}))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
