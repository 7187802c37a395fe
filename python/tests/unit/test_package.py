"""The package itself: what it loads, what it finds, what it is made of."""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys
import tarfile

import pytest

import talaria
from talaria import BadRequest, CommandFailed, CommandTimeout, Denied, Result, Unavailable
from talaria._archive import tree_pieces, unpack
from talaria._program import find_program
from talaria.errors import ToolError
from talaria.types import megabytes

PYTHON = pathlib.Path(__file__).resolve().parents[2]


def in_new_interpreter(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(PYTHON / "src")}
    return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)


def test_the_synchronous_classes_are_those_of_the_asynchronous_ones() -> None:
    generate = PYTHON / "tools" / "generate_sync.py"
    done = subprocess.run(
        [sys.executable, str(generate), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_every_name_can_be_loaded() -> None:
    for name in talaria.__all__:
        assert getattr(talaria, name) is not None
    with pytest.raises(AttributeError):
        _ = talaria.nonsense  # pyright: ignore


def test_importing_loads_little() -> None:
    code = "import sys; import talaria; from talaria import Talaria; print(*sys.modules)"
    loaded = in_new_interpreter(code).split()
    for heavy in ("asyncio", "ssl", "tarfile", "subprocess", "talaria._async.client"):
        assert heavy not in loaded


def test_importing_needs_nothing_of_posix() -> None:
    """What Windows lacks must not be asked for by an import."""
    missing = ("fcntl", "pty", "termios", "pwd", "grp", "resource")
    code = f"""
import sys, os
for name in {missing!r}: sys.modules[name] = None
del os.register_at_fork, os.fork
import talaria
for name in talaria.__all__: getattr(talaria, name)
import talaria._gateway, talaria._connection, talaria._loop
print("fine")
"""
    assert in_new_interpreter(code) == "fine\n"


def test_the_program_is_found(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TALARIA_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("talaria._program.inside", lambda: tmp_path / "none")
    with pytest.raises(Unavailable, match="connect"):
        find_program()
    script = tmp_path / "talaria"
    script.write_text("#!/usr/bin/python3\nfrom talaria._program import main\n")
    script.chmod(0o755)
    with pytest.raises(Unavailable):  # our own console script is not the program
        find_program()
    script.write_text("#!/bin/sh\n")
    assert find_program() == str(script)
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("TALARIA_PROGRAM", str(other))
    assert find_program() == str(other)
    assert find_program(script) == str(script)
    with pytest.raises(Unavailable, match="program: there is no program"):
        find_program(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("size", "expected"),
    [("2g", 2048), ("512m", 512), ("1.5GB", 1536), ("2GiB", 2048), ("100", 100), (7, 7)],
)
def test_sizes(size: int | str, expected: int) -> None:
    assert megabytes(size, "memory") == expected


@pytest.mark.parametrize("size", ["", "x", "2x", "g"])
def test_sizes_that_are_none(size: str) -> None:
    with pytest.raises(BadRequest, match="memory"):
        megabytes(size, "memory")


def test_a_result_is_checked() -> None:
    assert Result(exit_code=0, stdout="", stderr="").check().ok
    with pytest.raises(CommandFailed, match="make: exit code 2: no rule") as failed:
        Result(exit_code=2, stdout="", stderr="bad\nno rule\n", command="make").check()
    assert failed.value.result.exit_code == 2
    with pytest.raises(CommandTimeout) as late:
        Result(exit_code=124, stdout="so far", stderr="", timed_out=True, duration=1.0).check()
    assert late.value.result.stdout == "so far"


def test_errors_travel_between_processes() -> None:
    denied = Denied("no", reason="setting")
    denied.rule = "rm"
    result = Result(exit_code=1, stdout="x", stderr="")
    for error in (denied, CommandFailed("failed", result), ToolError("tool", {"error": "x"})):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)


def test_a_tree_survives_the_archive(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "source"
    (source / "deep" / "er").mkdir(parents=True)
    (source / "empty").mkdir()
    (source / "deep" / "er" / "file").write_bytes(os.urandom(100_000))
    (source / ("long" * 50)).write_text("x")
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("deep/er/file")
    os.link(source / "run", source / "second name")
    archive = tmp_path / "archive"
    archive.write_bytes(b"".join(tree_pieces(source)))
    assert tarfile.is_tarfile(archive)
    target = tmp_path / "target"
    with open(archive, "rb") as file:
        assert unpack(file, target) == 5
    assert (target / "empty").is_dir()
    assert (target / "deep/er/file").read_bytes() == (source / "deep/er/file").read_bytes()
    assert os.readlink(target / "link") == "deep/er/file"
    assert (target / "run").stat().st_mode & 0o777 == 0o755
    assert (target / "second name").read_text() == "#!/bin/sh\n"
    assert (target / ("long" * 50)).read_text() == "x"


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/../../out", "link/out"])
def test_an_archive_that_leads_out_is_refused(tmp_path: pathlib.Path, name: str) -> None:
    import io

    target = tmp_path / "target"
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    data.seek(0)
    with pytest.raises(BadRequest, match="outside"):
        unpack(data, target)
    assert not (tmp_path / "out").exists()
