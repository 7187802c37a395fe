#!/usr/bin/env python3
"""Processes, files and sandboxes of JSON lines, through the built program."""

import base64
import hashlib
import io
import os
import queue
import tarfile
import time
import unittest

from lines_check import SCHEMA, LinesCheck
from lines_client import LinesClient, Refused


class ProcessCheck(LinesCheck):
    def start(self, command, **more):
        process = self.call("processes.start", command=command, **more)["process"]
        self.addCleanup(self.call, "processes.kill", process=process["id"])
        return process

    def test_from_its_start_to_its_end(self):
        process = self.start("echo out; cat; exit 4", stdin=True, task="p")
        identity = process["id"]
        self.assertTrue(process["running"] and process["takes_input"])
        self.assertEqual(process["task"], "p")
        listed = [one["id"] for one in self.call("processes.list", task="p")["processes"]]
        self.assertIn(identity, listed)
        self.assertFalse(self.call("processes.wait", process=identity, timeout="100ms")["ended"])
        self.assertTrue(self.call("processes.write", process=identity, data="got it\n", end=True)["taken"])
        waited = self.call("processes.wait", process=identity, timeout=20)
        self.assertTrue(waited["ended"])
        self.assertEqual((waited["process"]["exit_code"], waited["process"]["end"]), (4, "exited"))
        read = self.call("processes.read", process=identity)
        self.assertEqual((read["data"], read["eof"], read["next"]), ("out\ngot it\n", True, 11))
        self.assertEqual(self.call("processes.read", process=identity, **{"from": 4}, max=3)["data"], "got")
        self.assertEqual(self.call("processes.get", process=identity, tail=3)["process"]["tail"], "it\n")
        self.assertFalse(self.call("processes.write", process=identity, data="late")["taken"])
        self.assertNotIn(identity, [one["id"] for one in self.call("processes.list", task="p")["processes"]])
        self.assertIn(identity, [one["id"] for one in self.call("processes.list", all=True)["processes"]])

    def test_output_is_followed_at_the_pace_of_the_client(self):
        process = self.start("head -c 3000000 /dev/zero | tr '\\0' x; echo end")
        request = self.client.start("processes.read", process=process["id"], follow=True, window=65536)
        size = 0
        while size < 65536:
            part = request.part()
            self.assertEqual(part["from"], size)
            size = part["next"]
        time.sleep(0.3)
        self.assertTrue(request.parts.empty())
        request.more(10_000_000)
        result = request.result()
        self.assertEqual((result["next"], result["eof"], result["lost"]), (3000004, True, 0))
        for part in request.all_parts():
            self.assertEqual(part["from"], size)
            size = part["next"]
        self.assertEqual(size, 3000004)

    def test_follow_can_be_cancelled_and_the_process_runs_on(self):
        process = self.start("echo a; sleep 60")
        request = self.client.start("processes.read", process=process["id"], follow=True)
        request.part()
        request.cancel()
        with self.assertRaises(Refused) as refused:
            request.result()
        self.assertEqual(refused.exception.kind, "interrupted")
        self.assertTrue(self.call("processes.get", process=process["id"])["process"]["running"])

    def test_a_terminal(self):
        process = self.start("stty size; printf '\\033]0;T\\007\\033[2;5Hx'; sleep 60",
                             terminal={"rows": 10, "cols": 40})
        self.assertEqual(process["terminal"], {"rows": 10, "cols": 40})
        deadline = time.monotonic() + 20
        screen = None
        while time.monotonic() < deadline:
            screen = self.call("processes.screen", process=process["id"])
            if screen["title"] == "T" and screen["lines"][1:2] == ["    x"]:
                break
            time.sleep(0.05)
        self.assertEqual((screen["lines"][0], screen["lines"][1], screen["title"]), ("10 40", "    x", "T"))
        self.assertEqual(screen["cursor"], {"row": 1, "col": 5, "visible": True})
        self.call("processes.resize", process=process["id"], rows=5, cols=30)
        self.assertEqual(self.call("processes.screen", process=process["id"])["rows"], 5)

    def test_signal_and_kill(self):
        process = self.start("trap 'echo usr' USR1; echo ready; while :; do sleep 0.05; done")
        request = self.client.start("processes.read", process=process["id"], follow=True)
        request.part()
        self.call("processes.signal", process=process["id"], signal="USR1")
        text = ""
        while "usr" not in text.split():
            text += request.part()["data"]
        killed = self.call("processes.kill", process=process["id"])
        self.assertEqual(killed, {"already_ended": False, "survivors": []})
        self.assertTrue(self.call("processes.kill", process=process["id"])["already_ended"])
        self.assertEqual(self.call("processes.get", process=process["id"])["process"]["end"], "killed")

    def test_events_name_their_consumer(self):
        self.call("events.subscribe", consumer="mine", **{"from": "now"})
        self.start("exit 3", notify=True)
        event = self.event("completion")
        self.assertEqual((event["consumer"], event["exit_code"]), ("mine", 3))

    def test_bad_input(self):
        process = self.start("sleep 60")["id"]
        wrong = {
            "processes.start": [{}, {"command": "x", "argv": ["x"]}, {"command": "x", "terminal": {"rows": 1}},
                                {"command": "x", "terminal": {"rows": 0, "cols": 0}}, {"command": "x", "lifetime": "ever"},
                                {"command": "x", "watch": "x"}, {"command": "x", "max_age": "old"}, {"command": "x", "no": 1}],
            "processes.list": [{"all": 1}, {"task": 1}],
            "processes.get": [{}, {"process": 1}, {"process": process, "tail": 1 << 40}],
            "processes.read": [{}, {"process": process, "from": -1}, {"process": process, "max": 0},
                               {"process": process, "encoding": "x"}],
            "processes.write": [{"data": "x"}, {"process": process, "data": "a", "data64": "YQ=="}],
            "processes.resize": [{"process": process}, {"process": process, "rows": 0, "cols": 5},
                                 {"process": process, "rows": 5, "cols": 5}],
            "processes.signal": [{"process": process}, {"process": process, "signal": "NOPE"}],
            "processes.wait": [{}, {"process": process, "timeout": "x"}],
            "processes.screen": [{"process": process}],
            "processes.kill": [{}],
        }
        for method, cases in wrong.items():
            for params in cases:
                with self.subTest(method=method, params=params):
                    self.assertEqual(self.client.refused(method, params).kind, "bad_request")
        for method in ("get", "read", "wait", "kill", "screen"):
            self.assertEqual(self.client.refused(f"processes.{method}", {"process": "proc_000000000000"}).kind,
                             "not_found")


class FileCheck(LinesCheck):
    def test_write_read_append(self):
        data = bytes(range(256)) * 10
        path = self.path("a/b/data")
        written = self.call("files.write", path=path, data64=base64.b64encode(data).decode(), mode="0640")
        self.assertEqual(written, {"bytes": 2560})
        with open(path, "rb") as file:
            self.assertEqual(file.read(), data)
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o640)
        read = self.call("files.read", path=path, encoding="base64", **{"from": 250}, max=10)
        self.assertEqual(base64.b64decode(read["data64"]), data[250:260])
        self.assertEqual((read["from"], read["next"], read["size"], read["eof"]), (250, 260, 2560, False))
        self.call("files.write", path=path, data="end", append=True)
        self.assertTrue(self.call("files.read", path=path, encoding="auto", **{"from": 2560})["eof"])
        self.assertEqual(self.call("files.read", path=path, **{"from": 2560})["data"], "end")

    def test_relative_paths_are_those_of_the_session(self):
        self.exec(f"cd {self.directory}")
        self.call("files.write", path="x.txt", data="here")
        self.assertEqual(self.exec("cat x.txt")["stdout"], "here")

    def test_stat_and_list(self):
        os.makedirs(self.path("d/e"))
        with open(self.path("d/f"), "w") as file:
            file.write("12345")
        os.chmod(self.path("d/f"), 0o600)
        os.symlink("f", self.path("d/l"))
        stat = self.call("files.stat", path=self.path("d/f"))
        self.assertEqual((stat["type"], stat["size"], stat["mode"], stat["uid"]), ("file", 5, "0600", os.getuid()))
        self.assertAlmostEqual(stat["modified"], os.stat(self.path("d/f")).st_mtime, places=3)
        link = self.call("files.stat", path=self.path("d/l"))
        self.assertEqual((link["type"], link["link_to"]), ("link", "f"))
        self.assertEqual(self.call("files.stat", path=self.directory)["type"], "directory")
        listed = self.call("files.list", path=self.path("d"))
        self.assertEqual([(one["path"], one["type"]) for one in listed["entries"]],
                         [("e", "directory"), ("f", "file"), ("l", "link")])
        self.assertEqual(listed["entries"][2]["link_to"], "f")
        deep = self.call("files.list", path=self.directory, depth=3)
        self.assertEqual([one["path"] for one in deep["entries"]], ["d", "d/e", "d/f", "d/l"])
        few = self.call("files.list", path=self.path("d"), max=2)
        self.assertTrue(few["truncated"])
        self.assertEqual(len(few["entries"]), 2)

    def test_directories_removal_and_renaming(self):
        self.exec(f"cd {self.directory}")
        self.call("files.make_dir", path="p/q", mode="0750")
        self.assertEqual(os.stat(self.path("p/q")).st_mode & 0o7777, 0o750)
        self.assertEqual(self.refused("files.make_dir", path="p/q", parents=False).kind, "bad_request")
        self.call("files.write", path="p/q/f", data="1")
        self.call("files.write", path="g", data="2")
        self.assertEqual(self.refused("files.rename", **{"from": "p/q/f"}, to="g", overwrite=False).kind, "bad_request")
        self.call("files.rename", **{"from": "p/q/f"}, to="g")
        self.assertEqual(self.call("files.read", path="g")["data"], "1")
        self.call("files.rename", **{"from": "g"}, to="p/q/f")
        self.assertEqual(self.refused("files.remove", path="p").kind, "bad_request")
        self.call("files.remove", path="p/q/f")
        self.call("files.remove", path="p/q")
        self.assertEqual(self.refused("files.remove", path="p/q").kind, "not_found")
        self.assertEqual(os.listdir(self.directory), ["p"])

    def test_what_is_wrong_has_a_kind_and_the_words_of_the_system(self):
        self.assertEqual(self.refused("files.read", path=self.path("no")).kind, "not_found")
        self.assertEqual(self.refused("files.stat", path=self.path("no")).kind, "not_found")
        directory = self.refused("files.read", path=self.directory)
        self.assertEqual(directory.kind, "bad_request")
        self.assertIn("Is a directory", directory.message)
        with open(self.path("f"), "w"):
            pass
        self.assertEqual(self.refused("files.list", path=self.path("f")).kind, "bad_request")
        self.assertEqual(self.refused("files.write", path=self.path("x/y"), data="", parents=False).kind, "not_found")

    def test_policy_is_that_of_the_file_tools(self):
        home = os.environ["TALARIA_HOME"]
        with open(os.path.join(home, ".env"), "a"):
            pass
        self.assertEqual(self.refused("files.read", path=os.path.join(home, ".env")).kind, "denied")
        self.assertEqual(self.refused("files.write", path="/etc/passwd", data="x").kind, "denied")

    def upload(self, data, **params):
        request = self.client.start("files.upload", **params)
        for at in range(0, len(data), 100_000):
            request.write(data[at:at + 100_000])
        request.write(b"", end=True)
        return request.result()

    def download(self, **params):
        request = self.client.start("files.download", **params)
        data = b""
        while not request.answered.is_set() or not request.parts.empty():
            try:
                piece = base64.b64decode(request.part(0.2)["data64"])
            except queue.Empty:
                continue
            data += piece
            request.more(len(piece))
        return data, request.result()

    def test_a_large_file_up_and_down(self):
        data = os.urandom(3_000_000)
        done = self.upload(data, path=self.path("large"), mode="0600")
        self.assertEqual(done, {"bytes": 3_000_000, "sha256": hashlib.sha256(data).hexdigest()})
        with open(self.path("large"), "rb") as file:
            self.assertEqual(file.read(), data)
        got, done = self.download(path=self.path("large"), window=65536)
        self.assertEqual(got, data)
        self.assertEqual(done["sha256"], hashlib.sha256(data).hexdigest())

    def test_an_upload_that_is_given_up_leaves_nothing(self):
        request = self.client.start("files.upload", path=self.path("part"))
        request.write(b"x" * 2_000_000)
        request.cancel()
        with self.assertRaises(Refused) as refused:
            request.result()
        self.assertEqual(refused.exception.kind, "interrupted")
        self.assertFalse(os.path.exists(self.path("part")))
        client = LinesClient()
        request = client.start("files.upload", path=self.path("part"))
        request.write(b"x" * 1000)
        client.close()
        self.assertFalse(os.path.exists(self.path("part")))

    def test_trees(self):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, text in (("a/one", b"1"), ("b/" + "long" * 60, b"22")):
                info = tarfile.TarInfo(name)
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text))
        done = self.upload(archive.getvalue(), path=self.path("tree"), kind="tree")
        self.assertEqual(done["files"], 2)
        with open(self.path("tree/a/one"), "rb") as file:
            self.assertEqual(file.read(), b"1")
        data, done = self.download(path=self.path("tree"), kind="tree")
        self.assertEqual((done["files"], done["bytes"]), (2, len(data)))
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            names = sorted(os.path.normpath(one.name) for one in tar if one.isfile())
        self.assertEqual(names, ["a/one", "b/" + "long" * 60])

    def test_an_archive_that_leads_out_is_refused(self):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            info = tarfile.TarInfo("../out")
            info.size = 1
            tar.addfile(info, io.BytesIO(b"x"))
        request = self.client.start("files.upload", path=self.path("tree"), kind="tree")
        request.write(archive.getvalue(), end=True)
        with self.assertRaises(Refused) as refused:
            request.result()
        self.assertEqual(refused.exception.kind, "bad_request")
        self.assertFalse(os.path.exists(self.path("out")))
        request = self.client.start("files.upload", path=self.path("tree"), kind="tree")
        request.write(b"no archive" * 100, end=True)
        with self.assertRaises(Refused):
            request.result()

    def test_bad_input(self):
        wrong = {
            "files.read": [{}, {"path": ""}, {"path": 1}, {"path": "/x", "from": -1}, {"path": "/x", "max": 0},
                           {"path": "/x", "max": 1 << 40}, {"path": "/x", "encoding": "x"}, {"path": "/x\0"}],
            "files.write": [{"path": "/x"}, {"path": "/x", "data": "", "data64": ""}, {"path": "/x", "data": "", "mode": "9"},
                            {"path": "/x", "data": "", "mode": 420}, {"path": "/x", "data64": "*"}],
            "files.stat": [{}, {"path": "/x", "max": 1}],
            "files.list": [{}, {"path": "/", "depth": 0}, {"path": "/", "max": 0}],
            "files.remove": [{}, {"path": "/x", "recursive": "yes"}],
            "files.make_dir": [{}, {"path": "/x", "mode": "x"}],
            "files.rename": [{"from": "/x"}, {"to": "/x"}],
            "files.upload": [{}, {"path": "/x", "kind": "heap"}],
            "files.download": [{}, {"path": "/x", "window": 1}],
        }
        for method, cases in wrong.items():
            for params in cases:
                with self.subTest(method=method, params=params):
                    self.assertEqual(self.client.refused(method, params).kind, "bad_request")


class SandboxCheck(LinesCheck):
    def test_a_life(self):
        made = self.call("sandboxes.create", cwd=self.directory, env={"WHO": "sandbox"}, name="n1", ttl="1h")["sandbox"]
        self.assertEqual((made["name"], made["state"], made["target"], made["ttl"]), ("n1", "running", "local", 3600))
        sandbox = made["id"]
        self.assertEqual(self.exec("pwd; echo $WHO; export A=1", sandbox=sandbox)["stdout"], f"{self.directory}\nsandbox\n")
        self.assertEqual(self.client.tool("terminal", {"command": "echo $WHO $A"}, sandbox=sandbox)["output"], "sandbox 1")
        self.call("files.write", sandbox=sandbox, path="f", data="x")
        self.assertTrue(os.path.exists(self.path("f")))
        with LinesClient(schema=SCHEMA) as other:
            self.assertEqual(other.call("exec", command="echo $A $WHO", sandbox=sandbox)["stdout"], "1 sandbox\n")
            self.assertIn(sandbox, [one["id"] for one in other.call("sandboxes.list")["sandboxes"]])
        process = self.call("processes.start", command="sleep 100", sandbox=sandbox)["process"]
        self.assertEqual(self.call("sandboxes.remove", sandbox=sandbox), {"removed": True})
        self.assertEqual(self.call("sandboxes.remove", sandbox=sandbox), {"removed": False})
        self.assertFalse(os.path.exists(f"/proc/{process['pid']}"))
        self.assertEqual(self.refused("processes.get", process=process["id"]).kind, "not_found")
        for method in ("exec", "processes.start"):
            self.assertEqual(self.refused(method, command="true", sandbox=sandbox).kind, "not_found")
        self.assertEqual(self.refused("sandboxes.get", sandbox=sandbox).kind, "not_found")

    def test_a_local_one_has_a_directory_of_its_own(self):
        sandbox = self.call("sandboxes.create")["sandbox"]
        self.assertIn(sandbox["id"], sandbox["cwd"])
        self.call("files.write", sandbox=sandbox["id"], path="f/g", data="x")
        self.assertEqual(self.exec("pwd; cat f/g", sandbox=sandbox["id"])["stdout"], sandbox["cwd"] + "\nx")
        self.assertTrue(os.path.exists(sandbox["cwd"]))
        self.call("sandboxes.remove", sandbox=sandbox["id"])
        self.assertFalse(os.path.exists(sandbox["cwd"]))

    def test_the_same_key_is_the_same_sandbox(self):
        key = f"k{time.time()}"
        first = self.call("sandboxes.create", key=key, cwd=self.directory)["sandbox"]["id"]
        self.addCleanup(self.call, "sandboxes.remove", sandbox=first)
        self.assertEqual(self.call("sandboxes.create", key=key, cwd=self.directory)["sandbox"]["id"], first)
        self.assertEqual(self.refused("sandboxes.create", key=key, cwd="/").kind, "denied")

    def test_a_time_to_live(self):
        sandbox = self.call("sandboxes.create", ttl=1)["sandbox"]["id"]
        process = self.call("processes.start", command="sleep 100", sandbox=sandbox)["process"]
        deadline = time.monotonic() + 20
        while os.path.exists(f"/proc/{process['pid']}"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(self.refused("sandboxes.get", sandbox=sandbox).kind, "not_found")

    def test_bad_input(self):
        wrong = {
            "sandboxes.create": [{"target": 1}, {"cpu": -1}, {"cwd": "relative"}, {"env": []}, {"ttl": "x"}, {"image": "i"},
                                 {"target": "nowhere"}, {"persistent": True}, {"colour": "red"}],
            "sandboxes.get": [{}], "sandboxes.remove": [{}, {"sandbox": "sbx_1", "snapshot": True}],
            "sandboxes.list": [{"all": True}],
        }
        for method, cases in wrong.items():
            for params in cases:
                with self.subTest(method=method, params=params):
                    self.assertIn(self.client.refused(method, params).kind, ("bad_request", "unavailable"))
        for name in ("../x", "sbx_", "sbx_zz", "default"):
            self.assertEqual(self.client.refused("sandboxes.get", {"sandbox": name}).kind, "not_found")


if __name__ == "__main__":
    unittest.main()
