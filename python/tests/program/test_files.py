"""Files at a target."""

from __future__ import annotations

import os
import pathlib

import pytest

from talaria import ApprovalPending, NotFound, Talaria, TalariaError, ToolError


def test_what_is_written_is_read(t: Talaria) -> None:
    data = bytes(range(256)) * 10
    assert t.files.write("deep/er/a.bin", data, mode=0o600) == len(data)
    assert t.files.read("deep/er/a.bin") == data
    assert t.files.read("deep/er/a.bin", start=250, max_bytes=10) == data[250:260]
    stat = t.files.stat("deep/er/a.bin")
    assert (stat.is_file, stat.size, stat.mode & 0o777) == (True, len(data), 0o600)
    t.files.write("text", "ü\n")
    t.files.write("text", "more\n", append=True)
    assert t.files.read_text("text") == "ü\nmore\n"
    t.files.write("empty", b"")
    assert t.files.read("empty") == b""


def test_a_large_file(t: Talaria) -> None:
    data = os.urandom(9_000_000)
    assert t.files.write("large", data) == len(data)
    assert t.files.read("large") == data


def test_what_is_not_there(t: Talaria) -> None:
    for call in (t.files.read, t.files.stat, t.files.remove, t.files.list):
        with pytest.raises(NotFound):
            call("no/such/file")
    assert not t.files.exists("no/such/file")
    with pytest.raises(TalariaError):
        t.files.write("/proc/no/such", b"x")


def test_directories(t: Talaria) -> None:
    t.files.make_dir("dirs/a/b")
    t.files.write("dirs/a/b/file", "x")
    t.files.write("dirs/top", "y")
    t.run("ln -s top dirs/link")
    assert {one.path for one in t.files.list("dirs")} == {"a", "top", "link"}
    entries = {one.path: one for one in t.files.tree("dirs")}
    assert set(entries) == {"a", "a/b", "a/b/file", "top", "link"}
    assert entries["a"].is_directory
    assert entries["link"].link_to == "top"
    t.files.rename("dirs/top", "dirs/renamed")
    assert t.files.exists("dirs/renamed")
    with pytest.raises(TalariaError):
        t.files.remove("dirs")
    with pytest.raises(ApprovalPending):
        t.files.remove("dirs", recursive=True)
    t.approvals.handler(lambda question: "dirs" in question.command)
    t.files.remove("dirs", recursive=True)
    assert not t.files.exists("dirs")


def test_edits(t: Talaria) -> None:
    t.files.write("code.py", "a = 1\nb = 1\n")
    edited = t.files.edit("code.py", "a = 1", "a = 2")
    assert "+a = 2" in edited.diff
    assert t.files.read_text("code.py") == "a = 2\nb = 1\n"
    with pytest.raises(ToolError) as error:
        t.files.edit("code.py", "nothing like this at all", "x")
    assert error.value.result["success"] is False
    patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch"
    assert t.files.patch(patch).created[0].endswith("new.txt")
    assert t.files.read_text("new.txt").startswith("hello")


def test_searches(t: Talaria) -> None:
    t.files.write("search/one.txt", "needle here\nother\n")
    t.files.write("search/two.md", "needle there\n")
    found = t.files.search("need.e", "search", glob="*.txt")
    assert [(match.line, match.text) for match in found.matches] == [(1, "needle here")]
    assert t.files.search("*.md", "search", what="files").files[0].endswith("two.md")
    assert t.files.search("nothing", "search").total == 0


def test_a_file_goes_both_ways(t: Talaria, tmp_path: pathlib.Path) -> None:
    local = tmp_path / "local"
    local.write_bytes(os.urandom(3_000_000))
    local.chmod(0o755)
    up = t.files.upload(local, "up/there")
    assert up.bytes == 3_000_000
    assert t.files.stat("up/there").mode & 0o777 == 0o755
    down = t.files.download("up/there", tmp_path / "back" / "again")
    assert down.sha256 == up.sha256
    assert (tmp_path / "back" / "again").read_bytes() == local.read_bytes()
    assert [one.name for one in (tmp_path / "back").iterdir()] == ["again"]


def test_a_tree_goes_both_ways(t: Talaria, tmp_path: pathlib.Path) -> None:
    source = tmp_path / "source"
    (source / "a" / "b").mkdir(parents=True)
    (source / "empty").mkdir()
    (source / "a" / "b" / "file").write_bytes(os.urandom(2_000_000))
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("a/b/file")
    t.files.upload(source, "tree-up")
    assert t.run("tree-up/run").ok
    t.files.download("tree-up", tmp_path / "back")
    assert (tmp_path / "back/a/b/file").read_bytes() == (source / "a/b/file").read_bytes()
    assert os.readlink(tmp_path / "back/link") == "a/b/file"
    assert (tmp_path / "back/empty").is_dir()
    assert (tmp_path / "back/run").stat().st_mode & 0o777 == 0o755


def test_an_upload_that_fails_leaves_nothing(t: Talaria, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        t.files.upload(tmp_path / "none", "never")
    local = tmp_path / "x"
    local.write_text("x")
    with pytest.raises(TalariaError):
        t.files.upload(local, "/proc/x")
    with pytest.raises(NotFound):
        t.files.download("none", tmp_path / "never")
    assert not t.files.exists("never")
    assert not (tmp_path / "never").exists()
