"""What a gateway, its runners and its home hold at a moment, read from outside."""

import os
import pathlib


def parents():
    """Pids of this program and of those that started it."""
    pid, found = os.getpid(), set()
    while pid > 1 and pid not in found:
        found.add(pid)
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def processes_of(home):
    """Processes that name this home, but for those we belong to: {pid: (its words, KiB)}."""
    found = {}
    ours = parents()
    mark = str(home).encode()
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in ours:
            continue
        try:
            words = (entry / "cmdline").read_bytes()
            if mark in words or mark in (entry / "environ").read_bytes():
                text = words.decode(errors="replace").replace("\0", " ")
                found[int(entry.name)] = (text.strip()[:80], rss_of(entry))
        except (OSError, ValueError):
            continue  # gone since
    return found


def rss_of(entry):
    for line in (entry / "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


class Facts:
    GAUGES = ("talaria_gateway_sandboxes", "talaria_gateway_execs", "talaria_gateway_execs_queued",
              "talaria_gateway_connections")
    FEW = 3
    SPARE = 16  # reapers and shells that wait for their next command

    def __init__(self, gateway, home, metrics, rows):
        entry = pathlib.Path("/proc") / str(gateway)
        self.gauges = {name.removeprefix("talaria_gateway_"): int(metrics[name]) for name in self.GAUGES}
        self.gateway = {"fds": len(os.listdir(entry / "fd")), "threads": len(os.listdir(entry / "task")),
                        "rss": rss_of(entry)}
        all_of_them = processes_of(home)
        self.names = sorted(name for name, _ in all_of_them.values())
        self.processes = len(all_of_them)
        self.runner_rss = sum(rss for name, rss in all_of_them.values() if "talaria-runner" in name)
        self.rows = rows
        self.files = {}
        for folder, _, names in os.walk(home / "talaria"):
            place = str(pathlib.Path(folder).relative_to(home))
            self.files[place] = len(names)
        sandboxes = home / "talaria" / "sandboxes"
        self.sandboxes = len(os.listdir(sandboxes)) if sandboxes.exists() else 0

    def calm(self):
        # One connection is ours.
        return self.gauges["execs"] == 0 and self.gauges["sandboxes"] == 0 and self.gauges["connections"] <= 1

    def same(self, other):
        return self.gateway["fds"] == other.gateway["fds"] and self.processes == other.processes

    def more_than(self, first):
        """What did not come back to what it was."""
        wrong = []
        for name in ("fds", "threads"):
            if self.gateway[name] > first.gateway[name] + self.FEW:
                wrong.append(f"{name}: {self.gateway[name]}, were {first.gateway[name]}")
        for name, value in self.gauges.items():
            if value > first.gauges[name]:
                wrong.append(f"{name}: {value}, were {first.gauges[name]}")
        for place, count in self.files.items():
            if count > first.files.get(place, 0) + self.FEW:
                wrong.append(f"{count} files in {place}, were {first.files.get(place, 0)}")
        if self.processes > first.processes + self.SPARE:
            wrong.append(f"processes: {self.names}, were {first.names}")
        if self.sandboxes > 0:
            wrong.append(f"{self.sandboxes} directories of sandboxes")
        for name, value in self.rows.items():
            if value > 0:
                wrong.append(f"{value} rows of {name}")
        return wrong

    def told(self):
        files = {place: count for place, count in self.files.items() if count > 0}
        return {"gateway": self.gateway, "gauges": self.gauges, "processes": self.processes,
                "runners_rss": self.runner_rss, "rows": self.rows, "sandboxes": self.sandboxes, "files": files}
