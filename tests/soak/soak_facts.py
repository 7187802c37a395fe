"""What a program, its runner and its home hold at a moment, read from outside."""

import os
import pathlib
import sqlite3
import time

FACTS = ("fds", "rss_kb", "threads", "runner_fds", "runner_rss_kb", "processes", "cgroups", "files", "rows")
WEEKS = 5 * 7 * 86_400  # longer than anything is kept

# What may be more at the end: shells and reapers that wait for their next command, buffers that were
# never as large before, and what was written a moment ago.
MARGINS = {"fds": 3, "threads": 2, "runner_fds": 60, "processes": 40, "cgroups": 40, "files": 80, "rows": 1200}
MEMORY = 1.25  # times
MEMORY_KB = 4096


def status_of(pid):
    lines = (pathlib.Path("/proc") / str(pid) / "status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def memory_of(pid):
    return int(status_of(pid)["VmRSS"].split()[0])


def runner_of(home):
    try:
        return int((home / "talaria/run/local/runner-v1").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None


def processes_of(home):
    mark = str(home).encode()
    found = 0
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            found += mark in (entry / "environ").read_bytes() or mark in (entry / "cmdline").read_bytes()
        except OSError:
            continue  # gone since
    return found


def cgroups_of(runner):
    """Those of the commands of this runner: their names have its pid."""
    mark = f"{runner}-"
    return sum(mark in name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names)


def database(home):
    return sqlite3.connect(home / "talaria/talaria.db", timeout=30)


def rows_of(home):
    total = 0
    with database(home) as rows:
        for (table,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            total += rows.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return total


def make_old(home):
    """Weeks pass for the rows and files that are there. The next ones clear up."""
    if not (home / "talaria/talaria.db").exists():
        return
    with database(home) as rows:
        unit = 1
        for (newest,) in rows.execute("SELECT max(stored) FROM processes"):
            while newest and newest > 10 * time.time() * unit:  # seconds, or a fraction of them
                unit *= 1000
        for table, columns in {"processes": ("stored", "ended"), "events": ("stored",), "consumed": ("stored",),
                               "marks": ("stored",), "instances": ("stored",), "calls": ("began",)}.items():
            for column in columns:
                rows.execute(f"UPDATE {table} SET {column} = {column} - ? WHERE {column} IS NOT NULL",
                             (WEEKS * unit,))
    old = time.time() - WEEKS
    for folder, _, names in os.walk(home / "talaria/run/local/spill"):
        for name in names:
            try:
                os.utime(os.path.join(folder, name), (old, old))
            except OSError:
                pass  # gone since


class Facts:
    def __init__(self, pid, home):
        entry = pathlib.Path("/proc") / str(pid)
        runner = runner_of(home)
        self.values = {
            "fds": len(os.listdir(entry / "fd")),
            "rss_kb": memory_of(pid),
            "threads": int(status_of(pid)["Threads"]),
            "runner_fds": len(os.listdir(f"/proc/{runner}/fd")) if runner else 0,
            "runner_rss_kb": memory_of(runner) if runner else 0,
            "processes": processes_of(home),
            "cgroups": cgroups_of(runner) if runner else 0,
            "files": sum(len(names) for _, _, names in os.walk(home)),
            "rows": rows_of(home),
        }

    def same(self, other):
        return all(self.values[name] == other.values[name] for name in FACTS if "rss" not in name)

    def more_than(self, first):
        wrong = []
        for name in FACTS:
            now, before = self.values[name], first.values[name]
            most = before * MEMORY + MEMORY_KB if "rss" in name else before + MARGINS[name]
            if now > most:
                wrong.append(f"{name}: {now}, at the beginning {before}")
        return wrong
