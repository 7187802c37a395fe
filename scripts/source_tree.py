"""What the source checks share: which files there are, who includes whom, and a memory of what
passed. A verdict is remembered under a hash of everything it rests on, so an unchanged file costs
nothing the second time."""

import concurrent.futures
import functools
import hashlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
PUBLIC = "talaria/"  # headers an embedding program includes, as <talaria/x.h> everywhere
JOBS = 2


def files(*patterns):
    """Paths, relative to the root, that git tracks or would track and that still exist."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(path for path in set(listed.split("\0")) if path and (ROOT / path).is_file())


@functools.cache
def read(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


@functools.cache
def includes(path):
    """[(line number, is it ours, name)] in the order of the file."""
    found = []
    for number, line in enumerate(read(path).splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            ours = match[1] == '"' or match[2].startswith(PUBLIC)
            found.append((number, ours, match[2]))
    return found


def resolve(path, name):
    """The file of ours that an #include of `name` in `path` means, or None."""
    if name.startswith(PUBLIC):
        candidate = f"include/{name}"
        return candidate if (ROOT / candidate).is_file() else None
    for base in ("src", "tests", str(pathlib.PurePath(path).parent), "."):
        candidate = str(pathlib.PurePath(base) / name)
        if (ROOT / candidate).is_file():
            return candidate
    return None


@functools.cache
def closure(path):
    """The file and every file of ours it includes, directly or not."""
    seen, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for _, ours, name in includes(current):
            found = resolve(current, name) if ours else None
            if found:
                waiting.append(found)
    return frozenset(seen)


class Memory:
    """Remembers which inputs passed a check."""

    def __init__(self, check, *conditions):
        self._folder = ROOT / "build" / "cache" / check
        self._folder.mkdir(parents=True, exist_ok=True)
        self._conditions = "\0".join(conditions)

    def _marker(self, path, extra):
        digest = hashlib.sha256(self._conditions.encode())
        digest.update(f"\0{path}\0{extra}".encode())
        for part in sorted(closure(path)):
            digest.update(f"\0{part}\0".encode() + read(part).encode())
        return self._folder / digest.hexdigest()[:40]

    def passed(self, path, extra=""):
        return self._marker(path, extra).exists()

    def remember(self, path, extra=""):
        self._marker(path, extra).touch()


def run_all(title, paths, command_for, memory, extra_for=lambda path: ""):
    """Runs a command per path, a few at a time, except where it is known to pass. Returns the
    outputs of those that failed."""
    todo = [path for path in paths if not memory.passed(path, extra_for(path))]
    print(f"{title}: {len(paths)} files, {len(todo)} to check", flush=True)
    failures = []

    def run(path):
        arguments, text = command_for(path)
        done = subprocess.run(arguments, cwd=ROOT, input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return path, done

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for count, (path, done) in enumerate(pool.map(run, todo), 1):
            if done.returncode == 0:
                memory.remember(path, extra_for(path))
            else:
                failures.append(f"{path}:\n{done.stdout.rstrip()}")
            if count % 20 == 0 and count < len(todo):
                print(f"{title}: {count} of {len(todo)}", flush=True)
    return failures


def version_of(program):
    try:
        return subprocess.run([program, "--version"], check=True, capture_output=True,
                              text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"{program} is not installed (scripts/install-deps build lint)")
