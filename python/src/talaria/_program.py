"""Where the program `talaria` is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from .errors import Unavailable

VARIABLE = "TALARIA_PROGRAM"


def inside() -> Path:
    """Where a platform wheel has the program."""
    return Path(__file__).with_name("bin") / "talaria"


def find_program(given: str | os.PathLike[str] | None = None) -> str:
    """The path of the program: `given`, `TALARIA_PROGRAM`, the one in this package, or PATH."""
    for source, path in (("program", given), (VARIABLE, os.environ.get(VARIABLE) or None)):
        if path is None:
            continue
        name = os.fspath(path)
        found = shutil.which(name)
        if found is None:
            raise Unavailable(f"{source}: there is no program {name!r}. Give the path of 'talaria'")
        return found
    packed = inside()
    if os.access(packed, os.X_OK):
        return str(packed)
    found = _on_path()
    if found is not None:
        return found
    raise Unavailable(
        "the program 'talaria' was not found: it is not in this package and not on PATH. "
        f"Install the wheel of your platform, set {VARIABLE}, or use Talaria.connect(url, token)"
    )


def _on_path() -> str | None:
    """The program on PATH; not our own console script, which would look for itself."""
    script = os.path.realpath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = shutil.which("talaria", path=folder or os.curdir)
        if found is not None and os.path.realpath(found) != script and not _is_script(found):
            return found
    return None


def _is_script(path: str) -> bool:
    """A console script of this package, in this or another virtual environment."""
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return head.startswith(b"#!") and b"talaria" in head and b"python" in head


def main() -> None:
    """The console script: becomes the program."""
    try:
        program = find_program()
    except Unavailable as error:
        print(f"talaria: {error}", file=sys.stderr)
        raise SystemExit(127) from None
    arguments = [program, *sys.argv[1:]]
    if os.name == "nt":
        import subprocess

        raise SystemExit(subprocess.call(arguments))
    os.execv(program, arguments)
