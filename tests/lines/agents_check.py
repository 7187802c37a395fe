#!/usr/bin/env python3
"""Approvals, settings, sudo and own tools of JSON lines, through the built program."""

import os
import unittest

from lines_client import LinesClient, Refused
from lines_check import LinesCheck


class ApprovalCheck(LinesCheck):
    RISKY = "rm -rf data"
    PARENT = os.environ["HOME"]  # temporary files may be removed without a question

    def test_a_question_is_a_part_and_two_events(self):
        self.call("approvals.subscribe")
        request = self.client.start("exec", command=self.RISKY, cwd=self.directory, call_id="call-1")
        asked = self.event("approval_requested")
        self.assertEqual(asked["command"], self.RISKY)
        part = request.part()
        self.assertEqual((part["waiting"], part["approval"]), ("approval", asked["id"]))
        self.call("approvals.answer", id=asked["id"], answer="once")
        self.assertEqual(request.result()["exit_code"], 0)
        answered = self.event("approval_answered")
        self.assertEqual((answered["id"], answered["choice"]), (asked["id"], "once"))

    def test_a_denial_has_words(self):
        self.call("approvals.subscribe")
        request = self.client.start("exec", command=self.RISKY, cwd=self.directory)
        asked = self.event("approval_requested")
        self.call("approvals.answer", id=asked["id"], answer="deny", words="use git clean")
        with self.assertRaises(Refused) as refused:
            request.result()
        error = refused.exception.error
        self.assertEqual((error["kind"], error["reason"]), ("denied", "declined"))
        self.assertEqual((error["denial"]["by"], error["denial"]["words"]), ("person", "use git clean"))
        self.assertIn("use git clean", error["message"])
        self.assertEqual(self.event("approval_answered")["words"], "use git clean")
        self.assertEqual(self.client.refused("approvals.answer", {"id": "x", "answer": "once", "words": "w"}).kind,
                         "bad_request")

    def test_who_does_not_wait_is_told_at_once(self):
        self.call("approvals.subscribe")
        error = self.refused("exec", command=self.RISKY, cwd=self.directory, wait_approval=False).error
        self.assertEqual((error["kind"], error["reason"]), ("denied", "pending"))
        asked = error["denial"]["approval"] or self.event("approval_requested")["id"]
        self.call("approvals.answer", id=asked, answer="once")
        self.assertEqual(self.exec(self.RISKY, cwd=self.directory, wait_approval=False)["exit_code"], 0)

    def test_judge_and_grant(self):
        self.assertEqual(self.call("approvals.judge", command="ls")["verdict"], "allowed")
        self.assertEqual(self.call("approvals.judge", command="rm -rf /")["verdict"], "denied")
        self.call("approvals.subscribe")
        judged = self.call("approvals.judge", command=self.RISKY, cwd=self.directory, task="g")
        self.assertEqual((judged["verdict"], judged["rule"]), ("ask", judged["rules"][0]))
        self.assertTrue(judged["offers"])
        granted = self.call("approvals.grant", command=self.RISKY, cwd=self.directory, task="g", **{"for": "1h"})
        self.assertEqual(granted["grant"]["covers"], judged["offers"][0]["covers"])
        self.assertEqual(self.call("approvals.judge", command=self.RISKY, cwd=self.directory, task="g")["verdict"], "allowed")
        self.assertEqual(self.exec(self.RISKY, cwd=self.directory, task="g")["exit_code"], 0)
        self.assertEqual(self.refused("approvals.grant", command="ls").kind, "bad_request")
        self.assertEqual(self.refused("approvals.grant", command="rm -rf /").kind, "denied")

    def test_files_and_processes_pass_the_same_gate(self):
        self.assertEqual(self.refused("processes.start", command=self.RISKY, cwd=self.directory).kind, "denied")
        os.makedirs(self.path("data"))
        self.exec(f"cd {self.directory}")
        self.assertEqual(self.refused("files.remove", path="data", recursive=True).kind, "denied")
        self.call("approvals.subscribe")
        request = self.client.start("processes.start", command="bash", stdin=True)
        self.call("approvals.answer", id=self.event("approval_requested")["id"], answer="once")
        shell = request.result()["process"]["id"]
        self.addCleanup(self.call, "processes.kill", process=shell)
        self.assertEqual(self.refused("processes.write", process=shell, data="rm -rf /\n").kind, "denied")

    def test_bad_input(self):
        wrong = {
            "approvals.judge": [{}, {"command": "x", "argv": ["x"]}, {"command": 1}, {"argv": []}],
            "approvals.grant": [{}, {"command": self.RISKY, "for": "soon"}],
            "approvals.answer": [{}, {"answer": "once"}, {"id": 1, "answer": "once"}],
            "approvals.list": [{"all": "yes"}], "approvals.subscribe": [{"session_key": 1}],
            "approvals.yolo": [{}, {"session_key": "k", "on": 1}], "approvals.clear": [{}],
            "approvals.unsubscribe": [{"key": "x"}],
        }
        for method, cases in wrong.items():
            for params in cases:
                with self.subTest(method=method, params=params):
                    self.assertEqual(self.client.refused(method, params).kind, "bad_request")


class AgentCheck(LinesCheck):
    def test_settings(self):
        before = self.call("settings.get", names=["TERMINAL_TIMEOUT"])["settings"]["TERMINAL_TIMEOUT"]
        changed = self.call("settings.set", settings={"tool_output.max_bytes": 100, "TALARIA_AUDIT": "0"})
        self.assertEqual(changed["applied"], ["tool_output.max_bytes"])
        self.assertEqual([one["name"] for one in changed["later"]], ["TALARIA_AUDIT"])
        self.assertTrue(self.exec("seq 1 1000")["truncated"])
        self.call("settings.set", settings={"tool_output.max_bytes": None})
        self.assertFalse(self.exec("seq 1 1000")["truncated"])
        self.call("settings.set", settings={"SUDO_PASSWORD": "secret"})
        self.assertEqual(self.call("settings.get", names=["SUDO_PASSWORD"])["settings"]["SUDO_PASSWORD"], "***")
        self.assertIn("TERMINAL_ENV", self.call("settings.get")["settings"])
        self.assertEqual(self.call("settings.get", names=["TERMINAL_TIMEOUT"])["settings"]["TERMINAL_TIMEOUT"], before)
        for wrong in ({"no.such": 1}, {"TALARIA_HOME": "/x"}, {"TERMINAL_TIMEOUT": "long"}):
            refused = self.refused("settings.set", settings=wrong)
            self.assertEqual(refused.kind, "bad_request", wrong)
        self.assertEqual(self.refused("settings.get", names=["no.such"]).kind, "bad_request")

    def test_own_tools_in_scripts(self):
        self.call("tools.serve", tools=[{"name": "weather", "description": 'Says "it".'}])
        code = "from hermes_tools import weather\nprint(weather(city='Bern', days=2))\nprint(weather())"
        request = self.client.send_line({"id": "script", "tool": "execute_code", "args": {"code": code},
                                         "task": "s", "tool_call_id": "call-9"}, "tool")
        called = self.event("tool_called")
        self.assertEqual((called["tool"], called["args"], called["task"], called["tool_call_id"]),
                         ("weather", {"city": "Bern", "days": 2}, "s", "call-9"))
        self.call("tools.answer", id=called["id"], result={"sky": ["blue", None]})
        called = self.event("tool_called")
        self.call("tools.answer", id=called["id"], error="no data")
        self.assertEqual(request.result()["output"], "{'sky': ['blue', None]}\n{'error': 'no data'}\n")
        self.assertEqual(self.refused("tools.answer", id=called["id"], result=1).kind, "not_found")
        refused = self.client.tool("execute_code", {"code": code}, tools=["terminal"])
        self.assertEqual(refused["status"], "error")
        for wrong in ([{"name": "a b"}], [{"name": "class"}], ["x"], [{"name": "f", "x": 1}]):
            self.assertEqual(self.refused("tools.serve", tools=wrong).kind, "bad_request")

    def test_a_script_whose_client_goes_away_ends(self):
        client = LinesClient()
        client.call("tools.serve", tools=[{"name": "never"}])
        client.send_line({"id": 99, "tool": "execute_code",
                          "args": {"code": "from hermes_tools import never\nprint(never())"}}, "tool")
        self.assertEqual(client.events.get(timeout=20)["tool"], "never")
        client.program.stdin.close()
        self.assertEqual(client.program.wait(30), 0)
        client.program.stdout.close()

    def test_sudo_is_subscribed_and_answered(self):
        self.call("sudo.subscribe", session_key="k")
        self.call("sudo.subscribe", session_key="k")
        self.call("sudo.unsubscribe", session_key="k")
        self.assertEqual(self.refused("sudo.unsubscribe", session_key="k").kind, "not_found")
        self.assertEqual(self.refused("sudo.answer", id="sudo_none", password="x").kind, "not_found")

    def test_bad_input(self):
        wrong = {
            "settings.set": [{}, {"settings": []}], "settings.get": [{"names": "x"}],
            "sudo.subscribe": [{"session_key": 1}], "sudo.answer": [{}, {"id": "x", "password": 1}],
            "tools.serve": [{}, {"tools": {}}], "tools.answer": [{}, {"id": "x", "result": 1, "error": "e"}],
        }
        for method, cases in wrong.items():
            for params in cases:
                with self.subTest(method=method, params=params):
                    self.assertEqual(self.client.refused(method, params).kind, "bad_request")


if __name__ == "__main__":
    unittest.main()
