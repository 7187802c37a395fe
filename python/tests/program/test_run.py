"""Commands: what they return, how they end."""

from __future__ import annotations

import hashlib
import os
import time

import pytest

from talaria import BadRequest, CommandFailed, CommandTimeout, Talaria

from .conftest import World, eventually


def test_a_command_has_a_result(t: Talaria, world: World) -> None:
    result = t.run("echo out; echo err >&2; exit 3")
    assert (result.exit_code, result.stdout, result.stderr) == (3, "out\n", "err\n")
    assert not result.ok
    assert not result.timed_out
    assert result.target == "local"
    assert result.cwd == str(world.root / "work")
    assert result.duration >= 0


def test_arguments_reach_the_program_unchanged(t: Talaria) -> None:
    arguments = ["a b", "$HOME", "*", "'\"", "", "\n", "ü", "--", ";id"]
    result = t.run(["printf", "%s|", *arguments])
    assert result.stdout == "".join(f"{one}|" for one in arguments)


def test_the_session_stays(t: Talaria) -> None:
    t.run("export X=7; mkdir -p deep; cd deep; f() { echo f$X; }")
    assert t.run("f; basename $PWD").stdout == "f7\ndeep\n"
    assert t.cwd().endswith("/deep")
    assert t.set_cwd("..").endswith("/work")
    assert t.run("pwd").stdout == f"{t.cwd()}\n"
    with pytest.raises(BadRequest):
        t.set_cwd("/no/such/directory")


def test_a_command_that_leaves_the_session_alone(t: Talaria) -> None:
    t.run("export X=1")
    assert t.run("echo $X; X=2; cd /", session=False).stdout == "1\n"
    assert t.run("echo $X; pwd").stdout != "2\n/\n"


def test_variables_and_directory_of_one_command(t: Talaria) -> None:
    result = t.run("echo $A; pwd; echo $HOME", env={"A": "ü b"}, cwd="/usr", home="/tmp")
    assert result.stdout == "ü b\n/usr\n/tmp\n"
    assert t.run("echo [$A]; pwd").stdout.startswith("[]\n")


def test_input(t: Talaria) -> None:
    assert t.run("cat", stdin="text ü").stdout == "text ü"
    data = bytes(range(256)) * 100
    result = t.run("cat", stdin=data, raw=True)
    assert result.stdout_raw == data
    assert "�" in result.stdout
    assert t.run("cat").stdout == ""


def test_input_of_any_size(t: Talaria) -> None:
    data = os.urandom(60_000_000)
    result = t.run("sha256sum", stdin=data)
    assert result.stdout.split()[0] == hashlib.sha256(data).hexdigest()
    assert t.run("head -c 3", stdin="abcdef" * 1_000_000).stdout == "abc"


def test_merged_output_keeps_its_order(t: Talaria) -> None:
    result = t.run("echo 1; echo 2 >&2; echo 3; echo 4 >&2", merge=True)
    assert (result.stdout, result.stderr) == ("1\n2\n3\n4\n", "")


def test_a_timeout_ends_the_tree_and_keeps_the_output(t: Talaria, world: World) -> None:
    begin = time.monotonic()
    result = t.run("echo first; (sleep 987.1 & sleep 987.1); wait", timeout=0.5)
    assert result.timed_out
    assert result.exit_code == 124
    assert result.stdout == "first\n"
    assert time.monotonic() - begin < 10
    eventually(lambda: not world.has("sleep 987.1"))
    with pytest.raises(CommandTimeout) as error:
        t.run("echo so far; sleep 100", timeout="500ms", check=True)
    assert error.value.result.stdout == "so far\n"


def test_check_raises(t: Talaria) -> None:
    with pytest.raises(CommandFailed, match="exit code 4") as error:
        t.run("echo why; exit 4", check=True)
    assert error.value.result.stdout == "why\n"
    assert t.run("true", check=True).ok


def test_output_is_limited(t: Talaria) -> None:
    result = t.run("head -c 100000 /dev/zero | tr '\\0' x", max_output=10000)
    assert result.truncated
    assert len(result.stdout) < 12000
    assert result.stdout_bytes == 100000


def test_a_signal(t: Talaria) -> None:
    assert t.run("bash -c 'kill -9 $$'").exit_code == 137


@pytest.mark.parametrize(
    ("command", "more"),
    [("true", {"timeout": "soon"}), ([], {}), ("a\0b", {}), ("true", {"cwd": "/no/such/place"})],
)
def test_bad_input(t: Talaria, command: str | list[str], more: dict[str, str]) -> None:
    if "cwd" in more:
        assert not t.run(command, cwd=more["cwd"]).ok
        return
    with pytest.raises(BadRequest):
        t.run(command, timeout=more.get("timeout"))
    assert t.run("echo fine").stdout == "fine\n"


def test_tasks_are_apart(t: Talaria) -> None:
    one, two = t.task("py-one"), t.task("py-two")
    one.run("cd /usr")
    two.run("cd /tmp")
    assert (one.cwd(), two.cwd()) == ("/usr", "/tmp")
    with Talaria() as other:
        assert other.task("py-one").run("pwd").stdout == "/usr\n"
        assert other.run("pwd").stdout != "/usr\n"
    one.close()
    two.close()
    assert t.task("py-one").run("pwd").stdout != "/usr\n"


def test_who_speaks(t: Talaria) -> None:
    hello = t.hello()
    assert hello["protocol"] == 1
    assert "exec" in hello["methods"]
    assert hello["target"] == "local"


def test_texts(t: Talaria) -> None:
    colours = "\x1b[31mred\x1b[0m"
    assert t.strip(colours) == "red"
    assert "AKIAIOSFODNN7EXAMPLE" not in t.redact("aws_key AKIAIOSFODNN7EXAMPLE")
