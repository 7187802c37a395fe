"""Builds the wheels of this package with nothing but the standard library (PEP 517).

    build_backend/talaria_wheel.py FOLDER                      py3-none-any: connects to gateways
    build_backend/talaria_wheel.py FOLDER --program TALARIA    for Linux: has the program inside

`--notice FILE` adds a text about what is inside the program. `pip install python/` uses it, too.
Equal sources give equal bytes: the time of every file is
SOURCE_DATE_EPOCH, or 1980, and the order is that of their names.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import pathlib
import re
import struct
import sys
import tarfile
import time
import zipfile
from collections.abc import Sequence
from typing import Any

import tomllib  # pyright: ignore[reportMissingTypeStubs]  (Python 3.11)

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine


def project() -> dict[str, Any]:
    """The table [project], with the version of the package."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (SOURCE / "talaria" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.M)
    assert found is not None
    return {**table, "version": found[1]}


def metadata(table: dict[str, Any]) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {table['name']}",
        f"Version: {table['version']}",
        f"Summary: {table['description']}",
        f"License: {table['license']['text']}",
        f"Requires-Python: {table['requires-python']}",
        *(f"Classifier: {one}" for one in table.get("classifiers", ())),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / table["readme"]).read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def entry_points(table: dict[str, Any]) -> str:
    groups = {"console_scripts": table.get("scripts", {}), **table.get("entry-points", {})}
    return "".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in one.items()) + "\n"
        for group, one in groups.items()
        if one
    )


def tag_of(program: bytes) -> str:
    """The tag of a wheel with this program: a static one runs on any Linux, with glibc or musl."""
    if program[:4] != b"\x7fELF":
        raise SystemExit("wheel: the program is not one for Linux")
    machine = MACHINES.get(struct.unpack_from("<H", program, 18)[0])
    if machine is None:
        raise SystemExit("wheel: the program is for a machine that has no name here")
    if is_static(program):
        return f"py3-none-manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_1_{machine}"
    return f"py3-none-linux_{machine}"  # of this machine's libraries: not for others


def is_static(program: bytes) -> bool:
    """Whether no loader is asked for."""
    offset, size, count = (
        *struct.unpack_from("<Q", program, 32),
        *struct.unpack_from("<HH", program, 54),
    )
    kinds = [struct.unpack_from("<I", program, offset + size * one)[0] for one in range(count)]
    return 3 not in kinds  # PT_INTERP


def content(program: bytes | None) -> dict[str, tuple[bytes, int]]:
    """The files of the package: content and mode."""
    files = {
        path.relative_to(SOURCE).as_posix(): (path.read_bytes(), 0o644)
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.parent.name != "bin"
    }
    if program is not None:
        files["talaria/bin/talaria"] = (program, 0o755)
    return files


def make_wheel(
    folder: pathlib.Path,
    program: pathlib.Path | None = None,
    notices: Sequence[pathlib.Path] = (),
) -> pathlib.Path:
    """Writes a wheel and returns its path."""
    table = project()
    binary = program.read_bytes() if program is not None else None
    tag = tag_of(binary) if binary is not None else "py3-none-any"
    base = f"{table['name']}-{table['version']}"
    information = f"{base}.dist-info"
    python, abi, platforms = tag.split("-")
    tags = "".join(f"Tag: {python}-{abi}-{one}\n" for one in platforms.split("."))
    pure = "false" if binary is not None else "true"
    wheel = f"Wheel-Version: 1.0\nGenerator: talaria\nRoot-Is-Purelib: {pure}\n{tags}"
    files = content(binary)
    texts = [one for one in (ROOT.parent / "LICENSE", *notices) if one.exists()]
    for name, text in {
        "METADATA": metadata(table).encode(),
        "WHEEL": wheel.encode(),
        "entry_points.txt": entry_points(table).encode(),
        **{f"licenses/{one.name}": one.read_bytes() for one in texts},
    }.items():
        files[f"{information}/{name}"] = (text, 0o644)
    record = f"{information}/RECORD"
    lines = [
        f"{name},sha256={digest(data)},{len(data)}" for name, (data, _) in sorted(files.items())
    ]
    files[record] = ("\n".join([*lines, f"{record},,"]).encode() + b"\n", 0o644)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{base}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(files, key=lambda one: (one.startswith(information), one)):
            data, mode = files[name]
            info = zipfile.ZipInfo(name, moment())
            info.create_system = 3
            info.external_attr = (0o100000 | mode) << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, 9)
    return path


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")


def moment() -> tuple[int, int, int, int, int, int]:
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or 0)
    when = time.gmtime(max(epoch, 315532800))  # a zip archive knows no earlier year than 1980
    return (when.tm_year, when.tm_mon, when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec)


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: object = None
) -> str:
    """Called by pip."""
    program = os.environ.get("TALARIA_WHEEL_PROGRAM")
    return make_wheel(
        pathlib.Path(wheel_directory), pathlib.Path(program) if program else None
    ).name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Called by `python -m build`."""
    base = f"{project()['name']}-{project()['version']}"
    path = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("pyproject.toml", "README.md", "build_backend", "src"):
            archive.add(
                ROOT / name,
                f"{base}/{name}",
                filter=lambda one: None if "__pycache__" in one.name else one,
            )
    return path.name


def main() -> None:
    arguments = argparse.ArgumentParser(description="Builds a wheel.")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--program", type=pathlib.Path, help="the program to put inside")
    arguments.add_argument("--notice", type=pathlib.Path, action="append", default=[])
    given = arguments.parse_args()
    print(make_wheel(given.folder, given.program, given.notice))


if __name__ == "__main__":
    sys.exit(main())
