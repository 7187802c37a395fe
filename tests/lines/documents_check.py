#!/usr/bin/env python3
"""The page, the schema and the program name the same methods, parameters and events."""

import os
import re
import unittest

from lines_client import LinesClient
from lines_schema import Schema

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", "json-lines.md")


class DocumentsCheck(unittest.TestCase):
    def setUp(self):
        self.schema = Schema.load()
        with open(PAGE, encoding="utf-8") as file:
            self.page = file.read()
        self.client = LinesClient()
        self.addCleanup(self.client.close)
        self.methods = set(self.client.call("hello")["methods"])

    def test_methods(self):
        table = set(re.findall(r"^\| `([a-z_.]+)` \|", self.page.split("## Methods")[1].split("### exec")[0], re.M))
        table.discard("method")
        self.assertEqual(table, self.methods)
        self.assertEqual(set(self.schema.methods), self.methods)

    def test_parameters(self):
        for method in sorted(self.methods):
            params = self.schema.resolve(self.schema.methods[method]["properties"]["params"])
            message = self.client.refused(method, {"no_such_parameter": 1}).message
            listed = message.split(f"{method} has ")[1]
            named = set() if listed == "none" else set(listed.split(", "))
            self.assertEqual(set(params["properties"]), named, method)

    def test_required_parameters(self):
        for method in sorted(self.methods):
            params = self.schema.resolve(self.schema.methods[method]["properties"]["params"])
            for name in params.get("required", []):
                with self.subTest(method=method, name=name):
                    self.assertTrue(self.client.refused(method, {}).message.startswith("params."))

    def test_events(self):
        table = self.page.split("## Pushed events")[1].split("## Limits")[0]
        named = set(re.findall(r"`([a-z_]+)`", "\n".join(
            line.split("|")[1] for line in table.splitlines() if line.startswith("| `") and line.count("|") == 4)))
        for event in self.schema.document["$defs"]["events"]["properties"]:
            self.assertIn(event, named)


if __name__ == "__main__":
    unittest.main()
