#!/usr/bin/env python3
"""The gateway's unit under a real systemd, set up by the commands of docs/guide/gateway.md.

    service_test.py TALARIA           at target local
    service_test.py TALARIA podman    with rootless podman

Exits 77 where systemd, or podman in it, cannot run.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NAMESPACES = ["--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--uts", "--ipc"]
# What the gateway's unit wants from others; here there is nothing in them.
TARGETS = ["test", "sysinit", "basic", "shutdown", "network-online", "multi-user"]
PATIENCE = 60


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def eventually(look, what):
    until = time.monotonic() + PATIENCE
    while not (seen := look()):
        if time.monotonic() > until:
            raise AssertionError(f"in vain waited for: {what}")
        time.sleep(0.05)
    return seen


class Machine:
    """A throw-away machine; see boot."""

    def __init__(self, directory, talaria):
        self.directory = directory
        self.units = directory / "units"
        self.units.mkdir()
        (directory / "root").mkdir()
        for name in TARGETS:
            (self.units / f"{name}.target").write_text("[Unit]\nDefaultDependencies=no\n")
        unit = (ROOT / "packaging/talaria-gateway.service").read_text()
        (self.units / "talaria-gateway.service").write_text(unit.replace("@bindir@", "/usr/local/bin"))
        self.program = subprocess.Popen(["unshare", *NAMESPACES, HERE / "boot", directory],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        children = pathlib.Path(f"/proc/{self.program.pid}/task/{self.program.pid}/children")
        self.first = eventually(lambda: self.program.poll() is not None or children.read_text().split(),
                                "process 1")
        if self.program.poll() is not None:
            skip("no namespaces for systemd: " + self.program.stderr.read().strip())
        eventually(lambda: self.program.poll() is not None or self.is_up(), "systemd")
        if self.program.poll() is not None:
            skip("systemd does not start: " + self.program.stderr.read().strip())
        shutil.copy(talaria, directory / "talaria")
        self.run(f"install -D -m 0755 {directory}/talaria /usr/local/bin/talaria")
        for kind in ("sysusers", "tmpfiles"):
            self.run(f"install -D -m 0644 {ROOT}/packaging/talaria.{kind} /usr/local/lib/{kind}.d/talaria.conf")

    def is_up(self):
        return self.is_active("test.target")

    def is_active(self, unit):
        return self.attempt(f"systemctl is-active {unit}").stdout.strip() == "active"

    def attempt(self, script):
        enter = ["nsenter", "--target", self.first[0], "--mount", "--pid", "--uts", "--ipc", "--cgroup"]
        inside = f"cd / && export SYSTEMD_UNIT_PATH={self.units}:/etc/systemd/system && {script}"
        variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        return subprocess.run([*enter, "sh", "-ec", inside], env=variables, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)

    def run(self, script):
        done = self.attempt(script)
        assert done.returncode == 0, f"{script}\nfailed ({done.returncode}): {done.stdout}{done.stderr}"
        return done.stdout

    def end(self):
        self.program.kill()
        self.program.wait()


class Client:
    def __init__(self, port, token):
        self.url = f"http://127.0.0.1:{port}"
        self.token = token
        self.number = 0

    def ask(self, path, body=None, headers=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data,
                                         {"Authorization": f"Bearer {self.token}",
                                          "Content-Type": "application/json", **(headers or {})})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def start(self, sandbox, command, wait=0):
        self.number += 1
        body = {"execId": str(self.number), "command": command}
        answer = self.ask(f"/v1/sandboxes/{sandbox}/execs?wait={wait}", body)
        return answer if wait else answer["execId"]

    def execute(self, sandbox, command):
        return self.start(sandbox, command, 30000)

    def call(self, tool, arguments):
        """A tool, as an MCP client."""
        version = "2026-07-28"
        meta = {"io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": {}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments, "_meta": meta}}
        headers = {"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": tool}
        return self.ask("/mcp", message, headers)["result"]["structuredContent"]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def setup_blocks():
    """The commands of the guide: for every target, and those for podman."""
    guide = (ROOT / "docs/guide/gateway.md").read_text()
    section = guide[guide.index("## Run it as a service"):]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def set_up(machine, options, before_start=""):
    """Runs the guide's commands, and returns the token that they print. Only the options are
    others: docker would look for the directories of sandboxes on the machine below."""
    commands = setup_blocks()[0].replace("--target docker", options)
    start = commands.index("systemctl enable")
    machine.run("getent group docker >/dev/null || groupadd --system docker")
    printed = machine.run(commands[:start])
    machine.run(before_start + commands[start:])
    assert machine.run("systemctl is-enabled talaria-gateway").strip() == "enabled"
    token = re.search(r"^\S{20,}$", printed, re.MULTILINE)
    assert token, "the guide's commands print no token"
    return token.group(0)


def check_podman(machine):
    for program in ("newuidmap", "catatonit", "podman", "busybox"):
        if machine.attempt(f"command -v {program} || test -x /usr/libexec/podman/{program}").returncode != 0:
            skip(f"{program} is not installed")
    port = free_port()
    for_podman = setup_blocks()[1].replace("apt-get install", "true")  # what it installs is here
    # This throw-away machine has no cgroup controllers and no network, and its files are an overlay.
    settings = """STORAGE_DRIVER=vfs
TERMINAL_DOCKER_IMAGE=localhost/small
TERMINAL_DOCKER_NETWORK=false
TERMINAL_CONTAINER_MEMORY=0
TERMINAL_CONTAINER_CPU=0
TERMINAL_DOCKER_EXTRA_ARGS='["--pids-limit","0"]'
"""
    (machine.directory / "more.env").write_text(settings)
    image = machine.directory / "image"
    machine.run(f"mkdir -p {image}/bin {image}/tmp {image}/root {image}/etc; "
                f"cp $(command -v busybox) {image}/bin/busybox; "
                f"for name in sh cat id uname mkdir rm; do ln -s busybox {image}/bin/$name; done; "
                f"tar -C {image} -cf {image}.tar .; chmod 0644 {image}.tar")
    before = (f"{for_podman}\ncat {machine.directory}/more.env >>/etc/talaria/gateway.env\n"
              "cd / && setpriv --reuid talaria --regid talaria --init-groups env HOME=/var/lib/talaria "
              f"STORAGE_DRIVER=vfs podman import --quiet {image}.tar localhost/small >/dev/null\n"
              # Podman does not ask for rights again while its first process lives.
              "pkill -KILL -u talaria || true; rm -rf /tmp/podman-run-*\n")
    client = Client(port, set_up(machine, f"--target podman --listen 127.0.0.1:{port}", before))
    sandbox = client.ask("/v1/sandboxes", {})["id"]
    began = client.execute(sandbox, "export A=kept; uname -n")
    assert began["returncode"] == 0, began
    machine.run("systemctl restart talaria-gateway")
    after = client.execute(sandbox, "echo $A; uname -n")
    assert after["output"] == "kept\n" + began["output"], after
    client.ask(f"/v1/sandboxes/{sandbox}/terminate", {})
    machine.run("systemctl stop talaria-gateway")


def check_local(machine):
    port = free_port()
    client = Client(port, set_up(machine, f"--target local --listen 127.0.0.1:{port}"))
    sandbox = client.ask("/v1/sandboxes", {})["id"]
    began = client.execute(sandbox, "export A=kept; echo data >/tmp/talaria-file && mktemp")
    assert began["returncode"] == 0, began
    long = client.start(sandbox, "while ! [ -e /tmp/go ]; do sleep 0.1; done; echo went")
    script = client.call("execute_code", {"yield_ms": 500, "code": "import os, time\n"
                                          "while not os.path.exists('/tmp/go'): time.sleep(0.1)\n"
                                          "from hermes_tools import terminal\nprint(terminal('echo went'))"})
    assert script["status"] == "running", script

    # /tmp was a directory that systemd removed when the gateway stopped, and the runner, which
    # stays, had none any more.
    machine.run("systemctl restart talaria-gateway")
    after = client.execute(sandbox, "echo $A; cat /tmp/talaria-file; mktemp >/dev/null && echo made")
    assert after["output"] == "kept\ndata\nmade\n", after
    client.execute(sandbox, "touch /tmp/go")
    eventually(lambda: client.ask(f"/v1/sandboxes/{sandbox}/execs/{long}")["output"] == "went\n",
               "the command that runs across the restart")
    ended = client.call("process", {"action": "wait", "session_id": script["session_id"]})
    assert ended["status"] == "success" and "went" in ended["output"], ended

    first = machine.run("systemctl show --value -p MainPID talaria-gateway")
    machine.run("systemctl reload talaria-gateway")
    assert machine.run("systemctl show --value -p MainPID talaria-gateway") == first
    machine.run("kill -KILL $(systemctl show --value -p MainPID talaria-gateway)")
    eventually(lambda: machine.run("systemctl show --value -p MainPID talaria-gateway") not in ("0\n", first)
               and machine.is_active("talaria-gateway"), "another gateway")
    after = client.execute(sandbox, "echo $A; mktemp >/dev/null && echo made")
    assert after["output"] == "kept\nmade\n", after
    machine.run("systemctl stop talaria-gateway")
    result = machine.run("systemctl show --value -p Result talaria-gateway").strip()
    assert result == "success", result


def main():
    if os.geteuid() != 0:
        skip("needs root")
    if not pathlib.Path("/lib/systemd/systemd").exists():
        skip("systemd is not installed")
    with tempfile.TemporaryDirectory(prefix="tsystemd.") as directory:
        os.chmod(directory, 0o755)
        machine = Machine(pathlib.Path(directory), sys.argv[1])
        try:
            check_podman(machine) if sys.argv[2:] == ["podman"] else check_local(machine)
        finally:
            machine.end()


if __name__ == "__main__":
    main()
