#!/usr/bin/env python3
"""Builds the wheels twice, compares them, installs each in a virtual environment of its own without
a network, and runs the README's example.

    wheels_test.py TALARIA
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKEND = ROOT / "python" / "build_backend" / "talaria_wheel.py"


def build(folder, *options, epoch="1700000000"):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    line = [sys.executable, str(BACKEND), str(folder), *options]
    made = subprocess.run(line, env=environment, check=True, capture_output=True, text=True)
    return pathlib.Path(made.stdout.strip())


def readme_example():
    """The ten lines of the README, as they are written there."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    begin = text.index("```python\n") + len("```python\n")
    return text[begin : text.index("```", begin)]


class Environment:
    """A virtual environment with one wheel and nothing else, and a home of its own."""

    def __init__(self, root, wheel):
        self.root = root
        subprocess.run([sys.executable, "-m", "venv", str(root / "venv")], check=True)
        self.bin = root / "venv" / "bin"
        line = [self.bin / "python", "-m", "pip", "install", "--quiet", "--no-index"]
        subprocess.run([*line, "--disable-pip-version-check", str(wheel)], check=True)
        for name in ("home", "work"):
            (root / name).mkdir()
        self.variables = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "HOME": str(root / "home"),
            "TALARIA_HOME": str(root / "t"),
        }

    def run(self, *line):
        return subprocess.run(
            [str(one) for one in line],
            env=self.variables,
            cwd=self.root / "work",
            capture_output=True,
            text=True,
            timeout=120,
        )

    def stop(self):
        self.run(self.bin / "talaria", "stop", "--all", "--force")


def check(condition, what, more=""):
    print(("ok   " if condition else "FAIL ") + what, more if not condition else "")
    return bool(condition)


def test_any(root):
    first, second = build(root / "1"), build(root / "2")
    good = check(first.read_bytes() == second.read_bytes(), "two builds are equal")
    names = zipfile.ZipFile(first).namelist()
    good &= check("talaria/py.typed" in names, "the types are inside")
    good &= check(not any("__pycache__" in one for one in names), "nothing compiled is inside")
    good &= check(first.name.endswith("py3-none-any.whl"), "it is for every system")
    environment = Environment(root / "any", first)
    done = environment.run(environment.bin / "python", "-c", "from talaria import Talaria; Talaria()")
    good &= check("connect(url, token)" in done.stderr, "without a program it says so", done.stderr)
    code = "from talaria import Talaria; Talaria.connect('http://127.0.0.1:1', 'x').hello()"
    done = environment.run(environment.bin / "python", "-c", code)
    good &= check("cannot connect" in done.stderr, "it connects to gateways", done.stderr)
    done = environment.run(environment.bin / "talaria", "version")
    return good & check(done.returncode == 127, "its script says that it has no program", done.stderr)


def test_platform(root, program):
    first, second = build(root / "1", "--program", program), build(root / "2", "--program", program)
    good = check(first.read_bytes() == second.read_bytes(), "two builds with a program are equal")
    good &= check(f"_{os.uname().machine}" in first.name, f"its name has the machine: {first.name}")
    environment = Environment(root / "platform", first)
    try:
        done = environment.run(environment.bin / "talaria", "version")
        good &= check(done.returncode == 0, "its script is the program", done.stderr)
        (environment.root / "example.py").write_text(readme_example())
        done = environment.run(environment.bin / "python", environment.root / "example.py")
        good &= check(done.returncode == 0, "the README's example runs", done.stdout + done.stderr)
    finally:
        environment.stop()
    return good


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    root = pathlib.Path(tempfile.mkdtemp(prefix="tw", dir="/tmp"))
    try:
        good = test_any(root) & test_platform(root, program)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
