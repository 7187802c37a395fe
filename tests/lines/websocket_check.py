#!/usr/bin/env python3
"""JSON lines over a WebSocket of the gateway, through the built program."""

import base64
import hashlib
import json
import os
import queue
import re
import socket
import struct
import subprocess
import tempfile
import threading
import unittest

from lines_client import PATIENCE, LinesClient, Refused
from lines_schema import Schema

SCHEMA = Schema.load()
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class WebSocketClient(LinesClient):
    """The same client over a WebSocket (RFC 6455), as much of it as this needs."""

    def __init__(self, port, token, schema=SCHEMA):
        self.schema = schema
        self.flaws, self.last, self.lock, self.requests = [], 0, threading.Lock(), {}
        self.events, self.strange = queue.Queue(), queue.Queue()
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /v1/lines HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Protocol: other, talaria.lines.1\r\n"
                             f"Authorization: Bearer {token}\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self.file.read(1)
            if not byte:
                break
            head += byte
        self.status = int(head.split()[1]) if head else 0
        self.head = head.decode()
        self.reader = threading.Thread(target=self._read_frames, daemon=True)
        if self.status == 101:
            accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
            assert accept in self.head and "talaria.lines.1" in self.head, self.head
            self.reader.start()

    def send_text(self, text):
        data = text.rstrip("\n").encode()
        mask = os.urandom(4)
        size = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else (
            struct.pack("!BH", 0xFE, len(data)) if len(data) < 65536 else struct.pack("!BQ", 0xFF, len(data)))
        masked = bytes(one ^ mask[at % 4] for at, one in enumerate(data))
        with self.lock:
            self.socket.sendall(b"\x81" + size + mask + masked)

    def _read_frames(self):
        text = b""
        while True:
            try:
                head = self.file.read(2)
            except OSError:  # it was dropped
                return
            if len(head) < 2:
                return
            size = head[1] & 0x7F
            if size >= 126:
                size = struct.unpack("!H" if size == 126 else "!Q", self.file.read(2 if size == 126 else 8))[0]
            data = self.file.read(size)
            code = head[0] & 0x0F
            if code == 9:  # a ping
                with self.lock:
                    self.socket.sendall(b"\x8A" + struct.pack("!B", 0x80 | len(data)) + b"\0\0\0\0" + data)
            if code == 8:
                return
            if code in (0, 1):
                text += data
                if head[0] & 0x80:
                    self._take(json.loads(text))
                    text = b""

    def drop(self):
        self.socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        try:
            self.drop()
        except OSError:
            pass
        if self.reader.is_alive():
            self.reader.join(PATIENCE)
        self.file.close()
        self.socket.close()
        assert not self.flaws, "\n".join(self.flaws)


class WebSocketCheck(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = os.environ["TALARIA_PROGRAM"]
        cls.tokens = {name: cls.talaria("token", "add", name, "--user", user, *more) for name, user, more in (
            ("one", "ann", ()), ("two", "ben", ()), ("few", "ann", ("--max-execs", "1")), ("slow", "cat", ("--rate", "3")),
            ("person", "ann", ("--approve",)))}
        cls.gateway = subprocess.Popen([cls.program, "serve", "--listen", "127.0.0.1:0", "--target", "local"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.port = int(re.search(r":(\d+),", cls.gateway.stdout.readline())[1])

    @classmethod
    def tearDownClass(cls):
        cls.gateway.terminate()
        cls.gateway.wait(PATIENCE)
        cls.gateway.stdout.close()

    @classmethod
    def talaria(cls, *words):
        said = subprocess.run([cls.program, *words], check=True, capture_output=True, text=True).stdout
        return re.search(r"[A-Za-z0-9_-]{24,}", said)[0]

    def client(self, name="one"):
        client = WebSocketClient(self.port, self.tokens[name])
        self.addCleanup(client.close)
        return client

    def sandbox(self, client):
        sandbox = client.call("sandboxes.create")["sandbox"]["id"]
        self.addCleanup(lambda: self.client("one").call("sandboxes.remove", sandbox=sandbox))
        return sandbox

    def test_the_handshake(self):
        stranger = WebSocketClient(self.port, "x" * 40)
        self.addCleanup(stranger.close)
        self.assertEqual(stranger.status, 401)
        client = self.client()
        greeting = client.call("hello", protocol=1)
        self.assertEqual((greeting["transport"], greeting["user"], greeting["target"]), ("websocket", "ann", "local"))
        self.assertNotIn("home", greeting)
        for method in ("env.list", "settings.set", "events.subscribe", "sudo.subscribe", "approvals.yolo", "files.share"):
            self.assertNotIn(method, greeting["methods"])
            self.assertEqual(client.refused(method, {}).kind, "not_found")

    def test_exec_files_and_processes_in_a_sandbox(self):
        client = self.client()
        sandbox = self.sandbox(client)
        result = client.call("exec", sandbox=sandbox, command='pwd; [ "$PWD" = "$HOME" ] && echo home; cd /usr; echo e >&2')
        self.assertIn(sandbox, result["stdout"].splitlines()[0])
        self.assertEqual((result["stdout"].splitlines()[1], result["stderr"], result["cwd"]), ("home", "e\n", "/usr"))
        client.call("sessions.set_cwd", sandbox=sandbox, cwd="~")
        client.call("files.write", sandbox=sandbox, path="f", data="x" * 200_000)
        self.assertEqual(client.call("files.stat", sandbox=sandbox, path="f")["size"], 200_000)
        request = client.start("exec", sandbox=sandbox, command="cat; stat -c %s f", stream=True, stdin_open=True)
        request.write("in\n", end=True)
        self.assertEqual(request.result()["exit_code"], 0)
        self.assertEqual("".join(part["data"] for part in request.all_parts()), "in\n200000\n")
        process = client.call("processes.start", sandbox=sandbox, command="sleep 100")["process"]["id"]
        self.assertEqual([one["id"] for one in client.call("processes.list")["processes"]], [process])
        self.assertEqual(client.call("processes.kill", process=process)["already_ended"], False)
        self.assertEqual(client.tool("terminal", {"command": "pwd"}, sandbox=sandbox)["exit_code"], 0)

    def test_users_see_only_their_own(self):
        client, other = self.client("one"), self.client("two")
        sandbox = self.sandbox(client)
        process = client.call("processes.start", sandbox=sandbox, command="sleep 100")["process"]["id"]
        self.assertEqual(other.call("sandboxes.list")["sandboxes"], [])
        self.assertEqual(other.call("processes.list")["processes"], [])
        for method, params in (("exec", {"command": "true", "sandbox": sandbox}), ("sandboxes.get", {"sandbox": sandbox}),
                               ("files.read", {"path": "/etc/hostname", "sandbox": sandbox}),
                               ("processes.get", {"process": process}), ("processes.kill", {"process": process}),
                               ("processes.write", {"process": process, "data": "x"}),
                               ("sessions.end", {"sandbox": sandbox})):
            with self.subTest(method=method):
                self.assertEqual(other.refused(method, params).kind, "not_found")
        self.assertEqual(other.call("sandboxes.remove", sandbox=sandbox), {"removed": False})
        for params in ({"command": "true"}, {"command": "true", "task": "default"}):
            self.assertEqual(client.refused("exec", params).kind, "bad_request")
        with self.assertRaises(Refused):
            client.tool("terminal", {"command": "true"})
        with self.assertRaises(Refused) as refused:
            client.tool("process", {"action": "list"}, sandbox=sandbox)
        self.assertEqual(refused.exception.kind, "denied")

    def test_limits_are_those_of_the_token(self):
        client = self.client("few")
        sandbox = self.sandbox(self.client("one"))
        request = client.start("exec", sandbox=sandbox, command="echo on; sleep 60", stream=True)
        request.part()
        self.assertEqual(client.refused("exec", {"sandbox": sandbox, "command": "true"}).kind, "limit")
        request.cancel()
        self.assertTrue(request.result()["interrupted"])
        self.assertEqual(client.call("exec", sandbox=sandbox, command="echo y")["stdout"], "y\n")
        slow = self.client("slow")
        kinds = []
        for _ in range(6):
            try:
                slow.call("sandboxes.list")
            except Refused as refused:
                kinds.append(refused.kind)
        self.assertEqual(set(kinds), {"limit"})

    def test_questions_go_to_those_who_may_answer(self):
        client, person, other = self.client("one"), self.client("person"), self.client("two")
        sandbox = self.sandbox(client)
        for method in ("approvals.subscribe", "approvals.list"):
            self.assertEqual(client.refused(method, {}).kind, "denied")
        person.call("approvals.subscribe")
        self.assertEqual(client.call("approvals.judge", sandbox=sandbox, command="rm -rf /")["verdict"], "denied")
        request = client.start("exec", sandbox=sandbox, command="rm -rf ../none-there")
        asked = person.events.get(timeout=20)
        self.assertEqual((asked["type"], asked["task"]), ("approval_requested", sandbox))
        self.assertEqual(request.part()["approval"], asked["id"])
        self.assertEqual(other.refused("approvals.answer", {"id": asked["id"], "answer": "once"}).kind, "denied")
        self.assertEqual([one["id"] for one in person.call("approvals.list")["approvals"]], [asked["id"]])
        person.call("approvals.answer", id=asked["id"], answer="deny", words="not here")
        with self.assertRaises(Refused) as refused:
            request.result()
        self.assertEqual(refused.exception.error["denial"]["words"], "not here")

    def test_a_client_that_disappears_takes_its_calls_along(self):
        client = self.client()
        sandbox = self.sandbox(self.client())
        marker = f"5{os.getpid()}.5"
        request = client.start("exec", sandbox=sandbox, command=f"echo x; sleep {marker}", stream=True)
        request.part()
        client.drop()
        deadline = 200
        while subprocess.run(["pgrep", "-f", f"sleep {marker}"], stdout=subprocess.DEVNULL).returncode == 0:
            deadline -= 1
            self.assertGreater(deadline, 0)
            threading.Event().wait(0.05)

    def test_a_token_that_is_revoked_serves_no_more(self):
        token = self.talaria("token", "add", "gone", "--user", "dan")
        client = WebSocketClient(self.port, token)
        self.addCleanup(client.close)
        client.call("sandboxes.list")
        subprocess.run([self.program, "token", "revoke", "gone"], check=True, capture_output=True)
        self.assertEqual(client.refused("sandboxes.list", {}).kind, "denied")

    def test_a_large_request_and_a_large_answer(self):
        client = self.client()
        sandbox = self.sandbox(client)
        text = "\u00e4" * 1_000_000
        client.call("files.write", sandbox=sandbox, path="large", data=text)
        self.assertEqual(client.call("files.read", sandbox=sandbox, path="large")["data"], text)

    def test_lines_that_are_none(self):
        client = self.client()
        client.send_text("nonsense")
        self.assertEqual(client.strange.get(timeout=20)["error"]["kind"], "bad_request")
        client.send_text('{"id":1,"method":"hello"}\n{"id":2,"method":"hello"}')
        self.assertEqual(client.strange.get(timeout=20)["id"], 1)


if __name__ == "__main__":
    unittest.main()
