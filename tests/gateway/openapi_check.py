#!/usr/bin/env python3
"""Holds the gateway against the document it serves: every route is asked for everything it may answer,
and every answer is looked up there and held against its schema. Prints what does not fit, exits 1 if
something does not.

    openapi_check.py PORT TOKEN APPROVER SPENT      tokens: of a client, of a person, one that is used up
"""

import http.client
import json
import re
import sys
import time

# What cannot be brought about from outside; and the start of a WebSocket, which tests/lines checks.
NOT_PROVOKED = {"101", "500", "502", "503"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class Document:
    def __init__(self, document):
        self.document = document

    def resolve(self, part):
        while "$ref" in part:
            node = self.document
            for step in part["$ref"].lstrip("#/").split("/"):
                node = node[step]
            part = node
        return part

    def is_type(self, value, name):
        if name == "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        if name == "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        return isinstance(value, TYPES[name])

    def flaws(self, value, schema, where="answer"):
        """JSON Schema, as much of it as the document uses."""
        schema = self.resolve(schema)
        known = {"type", "enum", "const", "pattern", "minLength", "required", "properties", "format", "items",
                 "additionalProperties", "minimum", "maximum", "maxLength", "contentEncoding",
                 "description"}
        if set(schema) - known:
            yield f"the checker does not know {set(schema) - known}"
        names = schema.get("type", [])
        names = [names] if isinstance(names, str) else names
        if names and not any(self.is_type(value, name) for name in names):
            yield f"{where}: {value!r} is no {names}"
            return
        if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
            yield f"{where}: {value!r} is not permitted"
        if isinstance(value, str):
            if "pattern" in schema and not re.search(schema["pattern"], value):
                yield f"{where}: {value!r} does not match {schema['pattern']}"
            if len(value) < schema.get("minLength", 0):
                yield f"{where}: too short"
            if schema.get("format") == "date-time" and not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value):
                yield f"{where}: {value!r} is no time"
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            for name in schema.get("required", []):
                if name not in value:
                    yield f"{where}: {name} is missing"
            for name, part in value.items():
                if name in properties:
                    yield from self.flaws(part, properties[name], f"{where}.{name}")
                elif schema.get("additionalProperties") is False:
                    yield f"{where}: {name} is not in the document"
        if isinstance(value, list) and "items" in schema:
            for i, part in enumerate(value):
                yield from self.flaws(part, schema["items"], f"{where}[{i}]")


class Checker:
    def __init__(self, port, tokens):
        self.port = port
        self.tokens = tokens
        self.found = []
        self.seen = set()  # (path, method, status)
        status, _, text = self.raw("GET", "/openapi.json", None, None, {})
        self.document = Document(json.loads(text))
        self.paths = self.document.document["paths"]
        if status != 200 or self.document.document["openapi"] != "3.1.0":
            self.found.append("no OpenAPI 3.1 document")

    def raw(self, method, path, body, token, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        headers = {"Content-Type": "application/json", "Host": "localhost", **headers}
        if token:
            headers["Authorization"] = "Bearer " + token
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def ask(self, expected, method, pattern, body=None, token="client", query="", headers=None, **names):
        path = pattern
        for name, value in names.items():
            path = path.replace("{" + name + "}", value)
        text = body if isinstance(body, (str, type(None))) else json.dumps(body)
        status, said, answer = self.raw(method, path + query, text, self.tokens.get(token), headers or {})
        label = f"{method} {pattern} {status}"
        if status != expected:
            self.found.append(f"{label}: {expected} was expected: {answer[:300]}")
        operation = self.paths.get(pattern, {}).get(method.lower(), {})
        response = operation.get("responses", {}).get(str(status))
        if response is None:
            self.found.append(f"{label} is not in the document")
            return None
        self.seen.add((pattern, method.lower(), str(status)))
        content = self.document.resolve(response)["content"]
        kind = said["Content-Type"].split(";")[0]
        if kind not in content:
            self.found.append(f"{label}: {kind} is not in the document")
        if kind != "application/json":
            return answer
        value = json.loads(answer)
        self.found += [f"{label}: {flaw}" for flaw in self.document.flaws(value, content[kind]["schema"])]
        return value

    def refusals(self):
        """What every route answers alike."""
        for pattern, operations in self.paths.items():
            for method, operation in operations.items():
                names = {name: "none" for name in re.findall(r"{(\w+)}", pattern)}
                method = method.upper()
                self.ask(403, method, pattern, headers={"Origin": "https://example.org"}, **names)
                if operation.get("security") == []:
                    continue
                self.ask(401, method, pattern, token="nobody", **names)
                self.ask(429, method, pattern, token="spent", **names)
                if "{sandbox}" in pattern:
                    body = {"execId": "e", "command": "true", "signal": "INT"}
                    self.ask(404, method, pattern, body if method == "POST" else None, **names)

    def walk(self):
        sandboxes, one = "/v1/sandboxes", "/v1/sandboxes/{sandbox}"
        execs, exec_ = one + "/execs", one + "/execs/{exec}"
        key = {"X-Idempotency-Key": "once"}
        box = self.ask(201, "POST", sandboxes, {"cwd": "/root"}, headers=key)["id"]
        self.ask(200, "POST", sandboxes, {"cwd": "/root"}, headers=key)
        self.ask(409, "POST", sandboxes, {"cwd": "/work"}, headers=key)
        self.ask(400, "POST", sandboxes, {"cpu": "many"})
        self.ask(200, "GET", sandboxes)
        self.ask(200, "GET", one, sandbox=box)

        self.ask(200, "POST", execs, {"execId": "a", "command": "echo a"}, query="?wait=20000", sandbox=box)
        self.ask(202, "POST", execs, {"execId": "b", "command": "cat", "stdin": True}, query="?wait=0", sandbox=box)
        self.ask(400, "POST", execs, {"execId": "a b", "command": "true"}, sandbox=box)
        self.ask(400, "POST", execs, "no json", sandbox=box)
        self.ask(200, "GET", execs, sandbox=box)
        self.ask(200, "GET", exec_, sandbox=box, exec="b")
        self.ask(400, "GET", exec_, query="?wait=long", sandbox=box, exec="b")
        deadline = time.monotonic() + 20
        while self.ask(200, "GET", exec_, sandbox=box, exec="b")["status"] != "running" and time.monotonic() < deadline:
            time.sleep(0.01)
        self.ask(200, "POST", exec_ + "/stdin", {"data": "x"}, sandbox=box, exec="b")
        self.ask(400, "POST", exec_ + "/stdin", {"data": 1}, sandbox=box, exec="b")
        self.ask(409, "POST", exec_ + "/stdin", {"data": "x"}, sandbox=box, exec="a")
        self.ask(200, "POST", exec_ + "/signal", {"signal": "CONT"}, sandbox=box, exec="b")
        self.ask(400, "POST", exec_ + "/signal", {"signal": "NONE"}, sandbox=box, exec="b")
        self.ask(409, "POST", exec_ + "/signal", {"signal": 15}, sandbox=box, exec="a")
        self.ask(200, "GET", exec_ + "/output", sandbox=box, exec="a")
        self.ask(400, "GET", exec_ + "/output", query="?from=-", sandbox=box, exec="a")
        self.ask(202, "POST", exec_ + "/cancel", sandbox=box, exec="b")
        self.ask(200, "GET", exec_, query="?wait=20000", sandbox=box, exec="b")
        self.ask(200, "POST", exec_ + "/cancel", sandbox=box, exec="b")

        # One that somebody has to be asked about, by a command that would do no harm.
        queued = self.ask(202, "POST", execs, {"execId": "q", "command": "rm -rf ./none ../none-there"},
                          query="?wait=2000", sandbox=box)
        approval = queued.get("approvalId", "none")
        self.ask(200, "GET", "/v1/approvals", token="approver")
        self.ask(403, "GET", "/v1/approvals")
        answer = "/v1/approvals/{approval}"
        self.ask(400, "POST", answer, {"answer": "perhaps"}, token="approver", approval=approval)
        self.ask(404, "POST", answer, {"answer": "deny"}, token="approver", approval="appr_none")
        self.ask(200, "POST", answer, {"answer": "deny"}, token="approver", approval=approval)
        self.ask(409, "POST", answer, {"answer": "once"}, token="approver", approval=approval)
        self.ask(200, "GET", exec_, query="?wait=20000", sandbox=box, exec="q")

        self.ask(400, "POST", one + "/terminate", {"snapshotBeforeTerminate": "yes"}, sandbox=box)
        self.ask(200, "POST", one + "/terminate", sandbox=box)
        self.ask(200, "GET", "/v1/lines")
        self.ask(400, "GET", "/v1/lines", headers={"Upgrade": "websocket", "Connection": "Upgrade",
                                                   "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
        for path in ("/healthz", "/readyz", "/openapi.json"):
            self.ask(200, "GET", path, token="nobody")
        self.ask(200, "GET", "/metrics")

    def complete(self):
        for pattern, operations in self.paths.items():
            for method, operation in operations.items():
                for status in operation["responses"]:
                    if status not in NOT_PROVOKED and (pattern, method, status) not in self.seen:
                        self.found.append(f"{method} {pattern} never answered {status}, which the document has")


def main():
    tokens = dict(zip(("client", "approver", "spent"), sys.argv[2:5]))
    checker = Checker(int(sys.argv[1]), tokens)
    checker.refusals()
    checker.walk()
    checker.complete()
    print("\n".join(checker.found) or f"{len(checker.seen)} answers fit")
    sys.exit(1 if checker.found else 0)


if __name__ == "__main__":
    main()
