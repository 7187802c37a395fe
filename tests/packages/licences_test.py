#!/usr/bin/env python3
"""What scripts/sbom writes about a build, and what it refuses.

    licences_test.py BUILD
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SBOM = pathlib.Path(__file__).resolve().parents[2] / "scripts/sbom"
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def sbom(*words):
    return subprocess.run([SBOM, *map(str, words)], capture_output=True, text=True, check=False)


class Licences(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    # libidn2 and libunistring (LGPL or GPL) were linked statically, and nothing said so.
    def test_nothing_is_inside_that_may_not_be(self):
        checked = sbom("--check", BUILD)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def check_with(self, archive):
        main = self.folder / "src/main"
        main.mkdir(parents=True)
        for kind in ("extracted", "inputs"):
            shutil.copy(BUILD / f"src/main/talaria.{kind}", main)
        with open(main / "talaria.extracted", "a", encoding="utf-8") as file:
            file.write(f"main.o\t{archive}(member.o)\tname\n")
        return sbom("--check", self.folder)

    def test_an_archive_of_another_package_is_refused(self):
        shell = self.check_with("/bin/sh")
        self.assertNotEqual(shell.returncode, 0)
        self.assertIn("/bin/sh", shell.stderr)
        self.assertIn("table of licences", shell.stderr)

    def test_an_archive_of_no_package_is_refused(self):
        unknown = self.check_with("/usr/lib/libunknown.a")
        self.assertNotEqual(unknown.returncode, 0)
        self.assertIn("/usr/lib/libunknown.a is in no package", unknown.stderr)

    def test_notice_and_sbom_have_what_is_linked(self):
        made = sbom(BUILD, self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        notice = (self.folder / "NOTICE").read_text(encoding="utf-8")
        for words in ("RE2", "SQLite", "inside talaria-runner", "GNU LESSER GENERAL PUBLIC LICENSE", "Boost Software License"):
            self.assertIn(words, notice)
        document = json.loads((self.folder / "talaria.spdx.json").read_text(encoding="utf-8"))
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        known = {"SPDXRef-DOCUMENT"}
        known.update(item["SPDXID"] for item in document["packages"] + document["files"])
        self.assertEqual(len(known), 1 + len(document["packages"]) + len(document["files"]))
        for relation in document["relationships"]:
            self.assertIn(relation["spdxElementId"], known)
            self.assertIn(relation["relatedSpdxElement"], known)
        again = self.folder / "again"
        self.assertEqual(sbom(BUILD, again).returncode, 0)
        for name in ("NOTICE", "talaria.spdx.json"):
            self.assertEqual((again / name).read_bytes(), (self.folder / name).read_bytes())


unittest.main()
