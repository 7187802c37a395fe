#!/usr/bin/env python3
"""What scripts/test makes of tests that fail, once or always. It runs a copy of the scripts, on a
throw-away tree of tests, without engines."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
NO_ENGINES = '#!/bin/sh\nmkdir -p "$2"\n: >"$2/env"\n'
# Each adds a line to a file named after it, in the tree.
STEADY = "echo run >>{name}"
FAILS_ONCE = "echo run >>{name}; test $(wc -l <{name}) -gt 1"
FAILS_TWICE = "echo run >>{name}; test $(wc -l <{name}) -gt 2"
FAILS = "echo run >>{name}; echo it broke; exit 1"
SKIPS_LATER = "echo run >>{name}; test $(wc -l <{name}) -eq 1 && exit 1; exit 77"
RACES_ONCE = "echo run >>{name}; test $(wc -l <{name}) -gt 1 || {{ echo 'WARNING: ThreadSanitizer: data race'; exit 1; }}"
LOGS_LATER = "echo run >>{name}; test $(wc -l <{name}) -gt 1 && echo begin >>log && echo end >>log"


def file_of(name):
    return re.sub(r"\W", "_", name)


class Rerun(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tsuite."))
        self.addCleanup(shutil.rmtree, self.root)
        self.tree = self.root / "build/some"
        self.tree.mkdir(parents=True)
        shutil.copytree(SCRIPTS, self.root / "scripts")
        engines = self.root / "tests/engines/all"
        engines.parent.mkdir(parents=True)
        engines.write_text(NO_ENGINES)
        engines.chmod(0o755)

    def run_tests(self, tests, more="", **variables):
        """(exit code, output) of scripts/test; {name: text of a shell}, and more of the tree's file"""
        lines = []
        for name, text in tests.items():
            lines.append(f'add_test([=[{name}]=] "/bin/sh" "-c" [=[{text.format(name=file_of(name))}]=])')
            lines.append(f'set_tests_properties([=[{name}]=] PROPERTIES LABELS some_test SKIP_RETURN_CODE 77)')
        (self.tree / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n" + more)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("TALARIA_")}
        done = subprocess.run([self.root / "scripts/test", "some"], env=dict(inherited, **variables),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50,
                              check=False)
        return done.returncode, done.stdout

    def runs(self, name):
        return len((self.tree / file_of(name)).read_text().splitlines())

    def ends(self):
        """The report: {name: status}, and its number of failures."""
        suite = ElementTree.parse(self.tree / "tests.xml").getroot()
        return {case.get("name"): case.get("status") for case in suite.iter("testcase")}, suite.get("failures")

    def closing(self, output):
        return re.sub(r"in \d+ s", "in S s", output.splitlines()[-1])

    def test_without_failures_nothing_is_run_again(self):
        code, output = self.run_tests({"A.a": STEADY, "B.b": STEADY})
        self.assertEqual(code, 0, output)
        self.assertEqual(self.closing(output), "all 2 tests passed (0 skipped) in S s")
        self.assertEqual(self.runs("A.a"), 1)
        self.assertNotIn("unsteady", output)

    # A run of an hour was lost to one test that a loaded machine upset.
    def test_one_that_passes_alone_is_named_and_does_not_fail_the_run(self):
        once, twice = "Kit/A.b+c(d)", "Kit/A.b"
        code, output = self.run_tests({twice: FAILS_TWICE, once: FAILS_ONCE, "B.b": STEADY})
        self.assertEqual(code, 0, output)
        self.assertEqual(self.closing(output), "all 3 tests passed (0 skipped) in S s, "
                                               "2 of them only when run again alone")
        self.assertIn(f"\nunsteady: {once}\n", output)
        self.assertIn(f"\nunsteady: {twice}\n", output)
        self.assertEqual([self.runs(name) for name in (once, twice, "B.b")], [2, 3, 1])
        self.assertEqual(self.ends(), ({once: "unsteady", twice: "unsteady", "B.b": "run"}, "0"))

    def test_each_is_run_again_after_the_other(self):
        tests = {f"A.{number}": LOGS_LATER for number in range(5)}
        code, output = self.run_tests(tests, TALARIA_TEST_JOBS="5")
        self.assertEqual(code, 0, output)
        self.assertEqual((self.tree / "log").read_text(), "begin\nend\n" * 5)

    def test_one_that_fails_alone_fails_the_run(self):
        code, output = self.run_tests({"A.a": FAILS, "B.b": FAILS_ONCE, "C.c": STEADY})
        self.assertEqual(code, 1, output)
        self.assertEqual(self.closing(output), "FAILED: 1 of 3 tests failed (0 skipped) in S s")
        self.assertIn("\nfailed: A.a\n", output)
        self.assertIn("\nunsteady: B.b\n", output)
        self.assertEqual(self.runs("A.a"), 3)
        self.assertEqual(self.ends(), ({"A.a": "fail", "B.b": "unsteady", "C.c": "run"}, "1"))

    def test_many_failures_are_no_accident(self):
        code, output = self.run_tests({f"A.{number}": FAILS_ONCE for number in range(6)})
        self.assertEqual(code, 1, output)
        self.assertEqual(self.closing(output), "FAILED: 6 of 6 tests failed (0 skipped) in S s")
        self.assertEqual(self.runs("A.0"), 1)
        self.assertNotIn("unsteady", output)

    def test_five_are_still_run_again(self):
        code, output = self.run_tests({f"A.{number}": FAILS_ONCE for number in range(5)})
        self.assertEqual(code, 0, output)
        self.assertTrue(self.closing(output).endswith("5 of them only when run again alone"), output)

    def test_a_skip_is_not_a_pass(self):
        code, output = self.run_tests({"A.a": SKIPS_LATER})
        self.assertEqual(code, 1, output)
        self.assertIn("\nfailed: A.a\n", output)

    def test_one_that_cannot_start_fails_the_run(self):
        code, output = self.run_tests({"B.b": STEADY}, more='add_test(A.a "/no/such/program")\n')
        self.assertEqual(code, 1, output)
        self.assertIn("FAILED", self.closing(output))

    def test_what_a_sanitizer_found_stays_a_failure(self):
        code, output = self.run_tests({"A.a": RACES_ONCE})
        self.assertEqual(code, 1, output)
        self.assertEqual(self.runs("A.a"), 1)

    def test_it_can_be_switched_off(self):
        code, output = self.run_tests({"A.a": FAILS_ONCE}, TALARIA_TEST_RERUNS="0")
        self.assertEqual(code, 1, output)
        self.assertEqual(self.runs("A.a"), 1)


if __name__ == "__main__":
    unittest.main()
