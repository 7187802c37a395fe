#!/usr/bin/env python3
"""Runs the commands of README.md, docs/guide/ and docs/reference/, and compares what they print with
what is written there.

    tests/docs/run_blocks.py PROGRAM            every page
    tests/docs/run_blocks.py PROGRAM PAGE...    these pages
    tests/docs/run_blocks.py --list             what would run, what is skipped and why

A block with the info string `console` holds commands and their output:

    $ talaria exec 'echo one; echo two'
    one
    two

- A line that begins with `$ ` is a command; `> ` continues it. bash runs the commands of a page in
  order, in one shell, with `talaria` in PATH, in an empty HOME, TALARIA_HOME (~/.hermes there) and
  working directory.
- Every command has to exit with 0. Write `; echo $?` where another code is the point.
- The lines below a command are its output, standard error included. `...` stands for any text. Ids,
  durations, pids and tokens may differ. A command without such lines may print anything.
- A command has 60 seconds.

A block with the info string `yaml` is a config.yaml: `talaria config` must know every setting in it,
also those behind a `# `. A block `python` is run if the comment before it begins with `run`.

An HTML comment right before a block says that it needs something:

    <!-- docs-test: needs-account: REASON -->   never run here
    <!-- docs-test: make: REASON -->            never run here; `make fresh` covers it
    <!-- docs-test: by-hand: REASON -->         never run here; a person types into it
    <!-- docs-test: needs X Y -->               run if all of them are there: docker, podman,
                                                singularity and ssh (the engines of tests/engines),
                                                port:N (free on loopback), or a program in PATH
    <!-- docs-test: if-installed X: REASON -->  the same for programs that the tests do not install
    <!-- docs-test: new-shell -->               a new shell, home and directory before this block
    <!-- docs-test: run -->                     run this block of Python

A skipped block is printed with its reason. With TALARIA_REQUIRE_ENGINES=1 a block whose engine or
program is missing has failed. Exits 1 if something failed, 77 if nothing could be run.
"""

import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = 60.0
NEVER = ("needs-account", "make", "by-hand")

# Engines of tests/engines: the variable that says the engine runs, what commands get, and how the
# names that a page shows are written for this engine.
ENGINES = {
    "docker": ("TALARIA_DOCKER_IMAGE", ("DOCKER_HOST", "DOCKER_CONFIG"),
               {"TERMINAL_DOCKER_NETWORK": "false", "TERMINAL_CONTAINER_MEMORY": "512"},
               {"debian:bookworm": "TALARIA_DOCKER_IMAGE",
                "docker run -d": "docker run --network=none -d"}),
    "podman": ("TALARIA_PODMAN", ("CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"),
               {"TERMINAL_DOCKER_NETWORK": "false", "TERMINAL_CONTAINER_MEMORY": "512"},
               {"debian:bookworm": "TALARIA_PODMAN_IMAGE"}),
    "singularity": ("TALARIA_APPTAINER_BIN", (), {"TERMINAL_CONTAINER_MEMORY": "0",
                                                  "TERMINAL_CONTAINER_CPU": "0"},
                    {"docker://debian:12": "TALARIA_APPTAINER_SIF"}),
    # Nothing but its lifetime ends the runner at an ssh host.
    "ssh": ("TALARIA_SSH_CONFIG", (), {"TERMINAL_LIFETIME_SECONDS": "5"},
            {"ssh me@box.example": "TALARIA_SSH", "box.example": "talaria-test",
             "TERMINAL_SSH_USER=me": "TERMINAL_SSH_USER=$TALARIA_SSH_USER"}),
}

# The shell of a page: reads commands from one descriptor, each up to a NUL; answers every one with
# its exit code on another. Commands share its variables and directory and have no input.
SHELL = """
while IFS= read -r -d '' _command <&{commands}; do
  eval "$_command" </dev/null 2>&1 {commands}<&- {answers}>&-
  printf '%d\\n' "$?" >&{answers}
done
"""

# A config.yaml in a home of its own, as one command.
CHECK_CONFIG = """(
export TALARIA_HOME=$(mktemp -d -p "$HOME")
cat >"$TALARIA_HOME/config.yaml" <<'END'
{text}END
talaria config --json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
flaws = answer["notices"] + answer["errors"]
print(*flaws, sep="\\n")
sys.exit(1 if flaws else 0)'
)"""

# What may differ from run to run, in this order.
VOLATILE = (
    (re.compile(r"\bproc_[0-9a-f]+"), "proc_ID"),
    (re.compile(r"\bappr_[0-9a-f]+"), "appr_ID"),
    (re.compile(r"\bsbx_[0-9A-Za-z]+"), "sbx_ID"),
    (re.compile(r"\btal_[0-9A-Za-z_-]+"), "tal_TOKEN"),
    (re.compile(r'"duration_ms":\d+'), '"duration_ms":N'),
    (re.compile(r'"duration_seconds":[0-9.]+'), '"duration_seconds":N'),
    (re.compile(r'"uptime_seconds":[0-9.]+'), '"uptime_seconds":N'),
    (re.compile(r'"pid":\d+'), '"pid":N'),
    (re.compile(r"\bpid \d+"), "pid N"),
)


class Command:
    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.expected = []


class Block:
    def __init__(self, line, directive):
        self.line = line
        self.directive = directive
        self.commands = []


def read_page(path):
    """The console blocks of a page, in order."""
    blocks, block, indent, directive, whole = [], None, 0, "", ""
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = raw.strip()
        if block is None:
            comment = re.fullmatch(r"<!--\s*docs-test:\s*(.*?)\s*-->", line)
            opening = re.match(r"(\s*)```(\S*)\s*$", raw)
            if comment:
                directive = comment.group(1)
            elif opening and opening.group(2) == "console":
                indent = len(opening.group(1))
                block = Block(number, directive)
            elif opening and (opening.group(2) == "yaml"
                              or opening.group(2) == "python" and directive == "run"):
                block, whole = Block(number, "" if directive == "run" else directive), opening.group(2)
                block.commands.append(Command(number, ""))
            elif opening:
                block = False  # of another kind
            elif line:
                directive = ""
        elif line == "```":
            if block:
                blocks.append(block)
            if whole == "python":
                block.commands[0].text = "python3 - <<'END'\n" + block.commands[0].text + "END"
            elif whole == "yaml":
                block.commands[0].text = CHECK_CONFIG.format(text=block.commands[0].text)
            block, directive, whole = None, "", ""
        elif whole:
            block.commands[0].text += re.sub(r"^(\s*)# (\w+: )", r"\1\2", raw) + "\n"
        elif block:
            text = raw[indent:] if raw[:indent].strip() == "" else raw
            if text.startswith("$ "):
                block.commands.append(Command(number, text[2:]))
            elif not block.commands:
                raise SystemExit(f"{path}:{number}: output before the first command")
            elif text.startswith("> ") and not block.commands[-1].expected:
                block.commands[-1].text += "\n" + text[2:]
            else:
                block.commands[-1].expected.append(text)
    return blocks


def port_is_free(port):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def missing(need):
    """Why this need is not met; empty if it is."""
    if need in ENGINES:
        variable = ENGINES[need][0]
        return "" if os.environ.get(variable) else f"no {need} for tests ({variable} is not set)"
    if need.startswith("port:"):
        return "" if port_is_free(int(need[5:])) else f"port {need[5:]} is in use"
    return "" if shutil.which(need) else f"{need} is not installed"


def needs_of(directive):
    for word in ("needs ", "if-installed "):
        if directive.startswith(word):
            return directive[len(word):].split(": ")[0].split()
    return []


def must_be_here(directive, asked):
    """Whether something is missing that the tests have to have. A port may be somebody else's."""
    if os.environ.get("TALARIA_REQUIRE_ENGINES") != "1" or not directive.startswith("needs "):
        return False
    return any(asked[need] for need in needs_of(directive) if not need.startswith("port:"))


def reason_to_skip(directive, asked):
    """Why a block is not run; empty if it is. `asked` keeps the answers of a page: its own server
    may have the port by the next block."""
    for word in NEVER:
        if directive == word or directive.startswith(word + ":"):
            return directive
    if needs_of(directive):
        for need in needs_of(directive):
            asked.setdefault(need, missing(need))
        return "; ".join(filter(None, (asked[need] for need in needs_of(directive))))
    if directive not in ("", "new-shell"):
        return f"unknown directive '{directive}'"
    return ""


def engine_of(directive):
    return next((need for need in needs_of(directive) if need in ENGINES), None)


class Shell:
    """One bash with a home of its own. stop() ends everything it started."""

    def __init__(self, program, engine):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="tdoc."))
        for name in ("home", "home/.hermes", "bin", "work"):
            (self.scratch / name).mkdir(mode=0o700)
        (self.scratch / "bin/talaria").symlink_to(program)
        self.engine = engine
        self.environment = self.variables()
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.output, output = os.pipe()
        self.bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-c",
             SHELL.format(commands=commands, answers=answers)],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=(commands, answers),
            env=self.environment, cwd=self.scratch / "work", start_new_session=True)
        for descriptor in (commands, answers, output):
            os.close(descriptor)

    def variables(self):
        path = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
        values = {"HOME": str(self.scratch / "home"), "PATH": f"{self.scratch}/bin:{path}",
                  "PYTHONPATH": str(ROOT / "python/src"), "PYTHONDONTWRITEBYTECODE": "1",
                  "TALARIA_HOME": str(self.scratch / "home/.hermes"),
                  "LANG": "C.UTF-8", "TERM": "dumb",
                  "USER": os.environ.get("USER", "root"), "LOGNAME": os.environ.get("USER", "root"),
                  "HERMES_PROFILE": f"docs-{os.getpid()}"}
        if self.engine:
            variable, passed, fixed, _ = ENGINES[self.engine]
            for name in passed:
                if name in os.environ:
                    values[name] = os.environ[name]
            values.update(fixed)
            values["TERMINAL_SANDBOX_DIR"] = str(self.scratch / "sandboxes")
            if self.engine == "singularity":
                values["PATH"] = f"{self.scratch}/bin:{os.environ[variable]}:{path}"
                values["TERMINAL_SCRATCH_DIR"] = str(self.scratch / "scratch")
            if self.engine == "ssh":
                values["TERMINAL_SSH_CONFIG"] = os.environ[variable]
                values["TALARIA_SSH_USER"] = os.environ.get("TALARIA_SSH_USER", "")
        return values

    def adapt(self, text):
        """The command with the names that this engine has."""
        if self.engine:
            for shown, here in ENGINES[self.engine][3].items():
                text = text.replace(shown, os.environ.get(here, here))
        return text

    def run(self, text):
        """(exit code, output); the code is None at the timeout, -1 if the shell is gone."""
        os.write(self.commands, self.adapt(text).encode() + b"\0")
        printed, answer, deadline = b"", b"", time.monotonic() + TIMEOUT
        while not answer.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0:
                return None, printed.decode(errors="replace")
            ready, _, _ = select.select([self.output, self.answers], [], [], left)
            if self.output in ready:
                printed += os.read(self.output, 65536)
            elif self.answers in ready:
                piece = os.read(self.answers, 64)
                if not piece:
                    return -1, printed.decode(errors="replace")
                answer += piece
        while select.select([self.output], [], [], 0)[0]:
            piece = os.read(self.output, 65536)
            if not piece:
                break
            printed += piece
        return int(answer), printed.decode(errors="replace")

    def stop(self):
        os.close(self.commands)
        try:
            os.killpg(self.bash.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        try:
            self.bash.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.bash.pid, signal.SIGKILL)
            self.bash.wait()
        words = [["env", "rm", "--all", "--force", "--yes"]] if self.engine else []
        for arguments in words + [["stop", "--all", "--force"]]:
            try:
                subprocess.run([self.scratch / "bin/talaria"] + arguments, env=self.environment,
                               cwd=self.scratch, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            except subprocess.TimeoutExpired:
                print(f"docs: talaria {' '.join(arguments)} did not end")
        for descriptor in (self.answers, self.output):
            os.close(descriptor)
        shutil.rmtree(self.scratch, ignore_errors=True)


def normal(text):
    for pattern, instead in VOLATILE:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def matches(expected, printed):
    pieces = normal("\n".join(expected)).split("...")
    pattern = ".*".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, normal(printed), re.DOTALL) is not None


def indented(text):
    return "".join(f"    {line}\n" for line in text.rstrip("\n").splitlines()) or "    (nothing)\n"


def run_page(program, path, counts):
    name = path.relative_to(ROOT).as_posix() if ROOT in path.parents else str(path)
    shell, shell_engine, asked = None, None, {}
    try:
        for block in read_page(path):
            reason = reason_to_skip(block.directive, asked)
            if reason.startswith("unknown directive") or must_be_here(block.directive, asked):
                print(f"{name}:{block.line}: FAILED: {reason}")
                counts["failed"] += 1
                continue
            if reason:
                print(f"{name}:{block.line}: skipped: {reason}")
                counts["skipped"] += 1
                continue
            engine = engine_of(block.directive)
            if shell and (block.directive == "new-shell" or engine != shell_engine):
                shell.stop()
                shell = None
            if not shell:
                shell, shell_engine = Shell(program, engine), engine
            for command in block.commands:
                counts["run"] += 1
                code, printed = shell.run(command.text)
                place = f"{name}:{command.line}: $ {command.text}"
                if code is None:
                    fault = f"did not end within {TIMEOUT:.0f} s; it printed"
                elif code != 0:
                    fault = f"exit code {code}; it printed"
                elif command.expected and not matches(command.expected, printed):
                    fault = "printed"
                else:
                    continue
                counts["failed"] += 1
                print(f"{place}\n  FAILED: {fault}\n{indented(printed)}", end="")
                if command.expected:
                    print(f"  expected\n{indented(chr(10).join(command.expected))}", end="")
                if code is None or code < 0:
                    shell.stop()
                    shell = None
                    break
    finally:
        if shell:
            shell.stop()


def pages(words):
    if words:
        return [pathlib.Path(word).resolve() for word in words]
    folders = (ROOT / "docs/guide", ROOT / "docs/reference")
    return [ROOT / "README.md"] + sorted(path for one in folders for path in one.rglob("*.md"))


def list_blocks():
    for path in pages([]):
        asked = {}
        for block in read_page(path):
            reason = reason_to_skip(block.directive, asked)
            what = f"skipped: {reason}" if reason else f"{len(block.commands)} commands"
            print(f"{path.relative_to(ROOT)}:{block.line}: {what}")


def main(arguments):
    if arguments == ["--list"]:
        list_blocks()
        return 0
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip())
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    program = pathlib.Path(arguments[0]).resolve()
    if not os.access(program, os.X_OK):
        print(f"docs: {program} is not an executable program")
        return 1
    if not shutil.which("bash"):
        print("docs: bash is not installed")
        return 77
    counts = {"run": 0, "failed": 0, "skipped": 0}
    for path in pages(arguments[1:]):
        run_page(program, path, counts)
    print(f"docs: {counts['run']} commands run, {counts['failed']} failed, "
          f"{counts['skipped']} blocks skipped")
    return 1 if counts["failed"] else 0 if counts["run"] else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
