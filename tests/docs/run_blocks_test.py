#!/usr/bin/env python3
"""What run_blocks.py makes of a block whose program is missing."""

import os
import pathlib
import subprocess
import tempfile
import unittest

RUN_BLOCKS = pathlib.Path(__file__).resolve().parent / "run_blocks.py"


class RunBlocks(unittest.TestCase):
    def run_page(self, directive, required, command="true"):
        """(exit code, output) of a page with one block that always runs, and one with this."""
        with tempfile.TemporaryDirectory(prefix="tdoc.") as directory:
            page = pathlib.Path(directory) / "page.md"
            page.write_text("```console\n$ echo one\none\n```\n\n"
                            f"<!-- docs-test: {directive} -->\n```console\n$ {command}\n```\n")
            variables = dict(os.environ, HOME=directory, TALARIA_REQUIRE_ENGINES=required)
            variables.pop("TALARIA_DOCKER_IMAGE", None)
            done = subprocess.run([RUN_BLOCKS, "/bin/true", page], env=variables, text=True,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=50,
                                  check=False)
            return done.returncode, done.stdout

    # It was printed as skipped, and nobody looked.
    def test_a_missing_program_fails_where_everything_has_to_be_there(self):
        code, said = self.run_page("needs no-such-program", "1")
        self.assertEqual(code, 1, said)
        self.assertIn("FAILED: no-such-program is not installed", said)

    def test_a_missing_engine_fails_there_too(self):
        code, said = self.run_page("needs docker", "1")
        self.assertEqual(code, 1, said)
        self.assertIn("FAILED: no docker for tests", said)

    def test_elsewhere_it_is_skipped(self):
        code, said = self.run_page("needs no-such-program", "0")
        self.assertEqual(code, 0, said)
        self.assertIn("skipped: no-such-program is not installed", said)
        self.assertIn("1 blocks skipped", said)

    def test_what_no_test_installs_is_skipped_everywhere(self):
        code, said = self.run_page("if-installed no-such-program: it needs an account", "1")
        self.assertEqual(code, 0, said)
        self.assertIn("skipped: no-such-program is not installed", said)

    def test_what_is_installed_runs(self):
        for directive in ("needs sh", "if-installed sh: a reason"):
            code, said = self.run_page(directive, "1", "false")
            self.assertEqual(code, 1, said)
            self.assertIn("2 commands run, 1 failed, 0 blocks skipped", said)


if __name__ == "__main__":
    unittest.main()
