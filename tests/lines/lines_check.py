"""What the checks of JSON lines share: a client, and a directory of its own."""

import os
import tempfile
import time
import unittest

from lines_client import LinesClient, Refused
from lines_schema import Schema

SCHEMA = Schema.load()


class LinesCheck(unittest.TestCase):
    PARENT = None  # of its directory; None: that for temporary files

    def setUp(self):
        self.client = LinesClient(schema=SCHEMA)
        self.addCleanup(self.client.close)
        self.call = self.client.call
        directory = tempfile.TemporaryDirectory(dir=self.PARENT)
        self.addCleanup(directory.cleanup)
        self.directory = os.path.realpath(directory.name)

    def path(self, name):
        return os.path.join(self.directory, name)

    def exec(self, command, **more):
        return self.call("exec", command=command, **more)

    def refused(self, method, **params):
        with self.assertRaises(Refused) as refused:
            self.call(method, **params)
        return refused.exception

    def event(self, kind, patience=20):
        deadline = time.monotonic() + patience
        while True:
            event = self.client.events.get(timeout=max(0.1, deadline - time.monotonic()))
            if event["type"] == kind:
                return event
