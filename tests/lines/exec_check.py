#!/usr/bin/env python3
"""exec of JSON lines, through the built program."""

import base64
import os
import queue
import subprocess
import tempfile
import time
import unittest

from lines_check import SCHEMA, LinesCheck
from lines_client import LinesClient, Refused


class ExecCheck(LinesCheck):
    def test_streams_are_apart(self):
        result = self.exec("echo out; echo err >&2; exit 3")
        self.assertEqual(result["stdout"], "out\n")
        self.assertEqual(result["stderr"], "err\n")
        self.assertEqual(result["exit_code"], 3)
        self.assertEqual((result["stdout_bytes"], result["stderr_bytes"]), (4, 4))
        self.assertFalse(result["truncated"] or result["timed_out"] or result["interrupted"])
        self.assertEqual(result["target"], "local")

    def test_merged(self):
        result = self.exec("echo out; echo err >&2", merge=True)
        self.assertEqual(result["output"], "out\nerr\n")
        self.assertNotIn("stdout", result)
        self.assertEqual(result["output_bytes"], 8)

    def test_argv_is_passed_unchanged(self):
        odd = ["printf", "%s|", "$HOME", "a b", "'", '"', "", "*", "\n", "é"]
        self.assertEqual(self.client.call("exec", argv=odd)["stdout"], "|".join(odd[2:]) + "|")

    def test_a_signal_and_the_code_of_a_shell(self):
        result = self.exec("kill -9 $$")
        self.assertEqual((result["exit_code"], result["shell_exit_code"]), (-9, 137))

    def test_variables_home_and_directory(self):
        result = self.exec('echo "$A $HOME $PWD"', env={"A": "x=y"}, home="/tmp", cwd="/usr")
        self.assertEqual(result["stdout"], "x=y /tmp /usr\n")
        # For this command only.
        self.assertNotIn("x=y", self.exec('echo "$A $HOME"')["stdout"])
        self.assertNotEqual(self.exec('echo "$HOME"')["stdout"], "/tmp\n")

    def test_a_session_begins_where_those_of_tools_do(self):
        with LinesClient(os.environ["TALARIA_PROGRAM"], "call", "--lines", "--cwd", "/usr", schema=SCHEMA) as client:
            self.assertEqual(client.tool("terminal", {"command": "pwd"}, task="x")["output"], "/usr")
            self.assertEqual(client.call("exec", command="pwd", task="y")["stdout"], "/usr\n")
            self.assertEqual(client.call("sessions.get", task="z")["cwd"], "/usr")
            self.assertEqual(client.call("sessions.set_cwd", task="z", cwd="lib")["cwd"], "/usr/lib")
            process = client.call("processes.start", command="pwd", task="w")["process"]["id"]
            client.call("processes.wait", process=process)
            self.assertEqual(client.call("processes.read", process=process)["data"], "/usr\n")
            self.assertEqual(client.call("files.stat", path="share", task="v")["path"], "/usr/share")

    def test_the_session_is_that_of_the_connection(self):
        self.exec("cd /usr; export B=2; f() { echo f; }")
        result = self.exec("pwd; echo $B; f")
        self.assertEqual(result["stdout"], "/usr\n2\nf\n")
        self.assertEqual(result["cwd"], "/usr")
        with LinesClient(schema=SCHEMA) as other:
            self.assertNotEqual(other.call("exec", command="echo $B")["stdout"], "2\n")

    def test_a_session_that_is_left_alone(self):
        self.exec("cd /usr; export B=2", task="t")
        result = self.exec("cd /; B=3; echo $B; pwd", task="t", session=False)
        self.assertEqual(result["stdout"], "3\n/\n")
        self.assertEqual(self.exec("pwd; echo $B", task="t")["stdout"], "/usr\n2\n")

    def test_timeout_says_what_was_printed(self):
        result = self.exec("echo before; sleep 60", timeout=0.5)
        self.assertTrue(result["timed_out"])
        self.assertEqual((result["exit_code"], result["stdout"]), (124, "before\n"))

    def test_input(self):
        self.assertEqual(self.exec("cat", stdin="hällo")["stdout"], "hällo")
        data = bytes(range(256))
        result = self.exec("cat", stdin64=base64.b64encode(data).decode(), encoding="base64")
        self.assertEqual(base64.b64decode(result["stdout64"]), data)

    def test_bytes_that_are_not_text(self):
        self.assertEqual(self.exec(r"printf 'a\377b'")["stdout"], "a\ufffdb")
        self.assertEqual(self.exec(r"printf 'a\377b'", encoding="auto")["stdout64"], "Yf9i")
        self.assertEqual(self.exec("printf ab", encoding="auto")["stdout"], "ab")

    def test_too_much_output_keeps_both_ends(self):
        result = self.exec("seq 1 100000; seq 1 100000 >&2", max_output=1000)
        self.assertTrue(result["truncated"])
        for stream in ("stdout", "stderr"):
            self.assertTrue(result[stream].startswith("1\n2\n"))
            self.assertTrue(result[stream].endswith("99999\n100000\n"))
            self.assertLess(len(result[stream]), 1200)
            self.assertEqual(result[stream + "_bytes"], 588895)
        with open(result["full_output_path"], "rb") as whole:
            self.assertEqual(len(whole.read()), 2 * 588895)

    def test_cancel_ends_the_tree(self):
        marker = f"3{os.getpid()}.5"
        request = self.client.start("exec", command=f"echo begun; sleep {marker} & sleep {marker}")
        deadline = time.monotonic() + 20
        while subprocess.run(["pgrep", "-f", f"sleep {marker}"], stdout=subprocess.DEVNULL).returncode:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        request.cancel()
        result = request.result()
        self.assertTrue(result["interrupted"])
        self.assertEqual((result["exit_code"], result["stdout"]), (130, "begun\n"))
        self.assertEqual(subprocess.run(["pgrep", "-f", f"sleep {marker}"], stdout=subprocess.DEVNULL).returncode, 1)

    def test_heartbeat(self):
        request = self.client.start("exec", command="sleep 1", heartbeat="200ms")
        request.result()
        beats = [part["heartbeat"] for part in request.all_parts()]
        self.assertGreaterEqual(len(beats), 2)
        self.assertEqual(beats, sorted(beats))

    def test_a_user_that_does_not_exist(self):
        with self.assertRaises(Refused) as refused:
            self.exec("true", user="no-such-user-here")
        self.assertEqual(refused.exception.kind, "not_found")

    @unittest.skipUnless(os.getuid() == 0, "changing the user needs root")
    def test_another_user(self):
        for user in ("nobody", 65534):
            result = self.exec('id -un; echo "it'"'"'s $HOME"', user=user, cwd="/")
            self.assertEqual(result["stdout"].splitlines()[0], "nobody", result)
        self.assertEqual(self.exec("id -u; exit 5", user=54321, cwd="/")["stdout"], "54321\n")
        self.assertEqual(self.exec("cat; exit 5", user="nobody", cwd="/", stdin="x")["exit_code"], 5)


class StreamCheck(LinesCheck):
    def text(self, request, stream):
        return "".join(p["data"] for p in request.all_parts() if p.get("stream") == stream)

    def test_parts_come_while_it_runs(self):
        request = self.client.start("exec", command="echo one; cat >&2", stream=True, stdin_open=True)
        self.assertEqual(request.part(), {"stream": "stdout", "data": "one\n"})
        self.assertTrue(request.write("two\n", end=True)["taken"])
        self.assertEqual(request.part(), {"stream": "stderr", "data": "two\n"})
        result = request.result()
        self.assertNotIn("stdout", result)
        self.assertEqual((result["stdout_bytes"], result["stderr_bytes"]), (4, 4))

    def test_input_after_input(self):
        request = self.client.start("exec", command="cat", stdin="a", stdin_open=True)
        request.write("b")
        request.write(b"c\n", end=True)
        self.assertEqual(request.result()["stdout"], "abc\n")

    def test_a_command_that_takes_no_more_input(self):
        request = self.client.start("exec", command="exec <&-; echo closed; sleep 1", stdin_open=True, stream=True)
        request.part()
        data = "x" * 100_000
        answers = [self.client.start("stream.write", request=request.id, data=data) for _ in range(20)]
        request.result()
        taken = [answer.result()["taken"] for answer in answers]
        self.assertFalse(taken[-1])
        with self.assertRaises(Refused) as refused:
            request.write("more")
        self.assertEqual(refused.exception.kind, "not_found")

    def test_input_is_held_up_by_a_command_that_does_not_read(self):
        request = self.client.start("exec", command="sleep 2; wc -c", stdin_open=True)
        writes = [self.client.start("stream.write", request=request.id, data="y" * 200_000,
                                    end=(i == 19)) for i in range(20)]
        time.sleep(1)
        self.assertFalse(writes[-1].answered.is_set())
        self.assertTrue(writes[0].answered.is_set())
        self.assertEqual(request.result()["stdout"].strip(), "4000000")
        self.assertTrue(all(write.result()["taken"] for write in writes))

    def test_characters_are_never_split(self):
        request = self.client.start("exec", command=r"""for b in '\303' '\244' '\342' '\202' '\254' '\303'; do
            printf $b; sleep 0.05; done""", stream=True)
        request.result()
        self.assertEqual(self.text(request, "stdout"), "ä€\ufffd")

    def test_a_window_holds_the_command_up(self):
        with tempfile.TemporaryDirectory() as directory:
            progress = os.path.join(directory, "progress")
            request = self.client.start(
                "exec", stream=True, window=65536, encoding="base64",
                command=f"for i in $(seq 1 200); do head -c 65536 /dev/zero; echo $i >{progress}; done")
            got = 0
            while got < 65536:
                got += len(base64.b64decode(request.part()["data64"]))
            time.sleep(1)
            self.assertEqual(got, 65536)
            self.assertTrue(request.parts.empty())
            with open(progress) as file:
                reached = int(file.read())
            self.assertLess(reached, 120)
            # Others are not held up.
            self.assertEqual(self.exec("echo other")["stdout"], "other\n")
            request.more(65536)
            while not request.answered.is_set():
                try:
                    size = len(base64.b64decode(request.part(0.2)["data64"]))
                except queue.Empty:
                    continue
                got += size
                request.more(size)
            got += sum(len(base64.b64decode(p["data64"])) for p in request.all_parts())
            self.assertEqual(got, 200 * 65536)

    def test_a_cancelled_stream_needs_no_window(self):
        request = self.client.start("exec", command="yes", stream=True, window=4096)
        request.part()
        request.cancel()
        self.assertTrue(request.result()["interrupted"])

    def test_many_streams_at_once(self):
        requests = [self.client.start("exec", command=f"for i in $(seq 1 50); do echo {n}.$i; done",
                                      stream=True) for n in range(64)]
        for number, request in enumerate(requests):
            request.result(120)
            self.assertEqual(self.text(request, "stdout").split(), [f"{number}.{i}" for i in range(1, 51)])

    def test_a_client_that_disappears_takes_its_streams_along(self):
        marker = f"4{os.getpid()}.5"
        program = subprocess.Popen([os.environ["TALARIA_PROGRAM"], "call", "--lines"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, bufsize=0)
        program.stdin.write(b'{"id":1,"method":"exec","params":{"command":"echo x; sleep %s","stream":true}}\n'
                            % marker.encode())
        self.assertIn(b'"part"', program.stdout.readline())
        program.stdout.close()
        self.assertEqual(program.wait(30), 1)
        program.stdin.close()
        self.assertEqual(subprocess.run(["pgrep", "-f", f"sleep {marker}"], stdout=subprocess.DEVNULL).returncode, 1)

    def test_the_end_of_input_ends_streams_in_order(self):
        client = LinesClient()
        request = client.start("exec", command="cat; seq 1 20000", stream=True,
                               window=4096, stdin_open=True)
        client.program.stdin.close()
        self.assertEqual(client.program.wait(30), 0)
        client.reader.join(10)
        self.assertEqual(request.result()["exit_code"], 0)
        self.assertEqual(len(self.text(request, "stdout")), 108894)
        client.program.stdout.close()


class GreetingCheck(LinesCheck):
    def test_hello(self):
        greeting = self.client.call("hello", protocol=1, client="check 1")
        self.assertEqual((greeting["protocol"], greeting["program"], greeting["transport"]), (1, "talaria", "stdio"))
        self.assertIn("exec", greeting["methods"])
        self.assertEqual(greeting["target"], "local")
        self.assertFalse(greeting["isolated"])
        refused = self.client.refused("hello", {"protocol": 2})
        self.assertEqual(refused.kind, "bad_request")
        self.assertIn("1", refused.message)

    def test_tools(self):
        tools = {tool["name"]: tool for tool in self.client.call("tools.list")["tools"]}
        self.assertEqual(tools["terminal"]["parameters"]["type"], "object")
        only = self.client.call("tools.list", tools=["process", "terminal"])["tools"]
        self.assertEqual([tool["name"] for tool in only], ["terminal", "process"])

    def test_texts(self):
        self.assertEqual(self.client.call("text.strip", text="\x1b[31mred\x1b[0m")["text"], "red")
        token = "ghp_" + "a1B2" * 9
        self.assertNotIn(token, self.client.call("text.redact", text=f"token {token}")["text"])

    def test_an_error_says_why(self):
        error = self.client.refused("exec", {"command": "rm -rf /"}).error
        self.assertEqual((error["kind"], error["reason"]), ("denied", "never_allowed"))
        self.assertEqual(error["denial"]["by"], "hardline")
        self.assertTrue(error["denial"]["rules"])


class SessionCheck(LinesCheck):
    def test_directory_and_end(self):
        self.assertFalse(self.client.call("sessions.get", task="s")["exists"])
        self.assertEqual(self.client.call("sessions.set_cwd", task="s", cwd="/usr")["cwd"], "/usr")
        session = self.client.call("sessions.get", task="s")
        self.assertEqual(session, {"cwd": "/usr", "target": "local", "exists": True})
        self.exec("export A=1", task="s")
        self.assertEqual(self.client.refused("sessions.set_cwd", {"task": "s", "cwd": "/no/such"}).kind, "bad_request")
        self.assertEqual(self.exec("pwd; echo $A", task="s")["stdout"], "/usr\n1\n")
        self.client.call("sessions.end", task="s")
        self.assertFalse(self.client.call("sessions.get", task="s")["exists"])
        self.assertEqual(self.exec("echo $A", task="s")["stdout"], "\n")

    def test_reads_are_forgotten(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("line\n")
            file.flush()
            read = lambda: self.client.tool("read_file", {"path": file.name}, task="r")
            self.assertIn("line", str(read()))
            self.assertNotIn("1|line", str(read().get("content", "")))
            self.client.call("reads.forget", task="r")
            self.assertIn("line", str(read()))


class BadInputCheck(LinesCheck):
    def test_every_parameter_is_checked(self):
        wrong = {
            "exec": [{}, {"command": 7}, {"command": "x", "argv": ["x"]}, {"argv": []}, {"argv": "x"},
                     {"argv": [1]}, {"command": "x", "task": "a", "sandbox": "b"}, {"command": "x", "env": []},
                     {"command": "x", "env": {"A": 1}}, {"command": "x", "env": {"": "1"}},
                     {"command": "x", "timeout": "soon"}, {"command": "x", "timeout": -1},
                     {"command": "x", "stdin": "a", "stdin64": "YQ=="}, {"command": "x", "stdin64": "?"},
                     {"command": "x", "encoding": "utf-16"}, {"command": "x", "window": 1},
                     {"command": "x", "heartbeat": 0.01}, {"command": "x", "merge": "yes"},
                     {"command": "x", "user": "-u"}, {"command": "x", "user": -1}, {"command": "x", "nope": 1},
                     {"command": "x\0y"}, {"command": "x", "max_output": 1e12},
                     {"command": "x", "stream": True, "window": 2**40}],
            "hello": [{"protocol": 2}, {"protocol": "1"}, {"client": 1}, {"nope": 1}],
            "stream.more": [{}, {"request": 1}, {"request": 1, "bytes": -1}, {"request": 1, "bytes": "x"}],
            "stream.write": [{}, {"request": 1, "data": 5}, {"request": 1, "data64": "="}],
            "tools.list": [{"tools": "terminal"}, {"nope": 1}],
            "sessions.get": [{"task": 1}, {"cwd": "/"}],
            "sessions.set_cwd": [{}, {"cwd": ""}, {"cwd": 1}],
            "sessions.end": [{"task": []}],
            "reads.forget": [{"task": {}}],
            "text.redact": [{}, {"text": 1}],
            "text.strip": [{}],
            "env.overrides": [{"task": "x"}],
        }
        for method, cases in wrong.items():
            for params in cases:
                with self.subTest(method=method, params=params):
                    kind = self.client.refused(method, params).kind
                    self.assertIn(kind, ("bad_request", "not_found") if method.startswith("stream.") else ("bad_request",))

    def test_too_large(self):
        self.assertEqual(self.client.refused("exec", {"command": "true", "task": "x" * 300}).kind, "limit")

    def test_null_is_absent(self):
        self.assertEqual(self.client.call("exec", command="echo x", argv=None, timeout=None)["stdout"], "x\n")

    def test_unknown(self):
        self.assertEqual(self.client.refused("exec", {"command": "true", "sandbox": "sbx_none"}).kind, "not_found")
        self.assertEqual(self.client.refused("no.method", {}).kind, "not_found")
        self.assertEqual(self.client.refused("stream.write", {"request": 99, "data": "x"}).kind, "not_found")
        self.assertEqual(self.client.call("stream.more", request=99, bytes=1), {})


if __name__ == "__main__":
    unittest.main()
