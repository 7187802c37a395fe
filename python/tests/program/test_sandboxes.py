"""Sandboxes."""

from __future__ import annotations

import pathlib

import pytest

from talaria import BadRequest, NotFound, Talaria, TalariaError

from .conftest import World, eventually


def test_a_sandbox_is_a_place_of_its_own(t: Talaria) -> None:
    with t.sandbox(env={"WHO": "me"}) as one, t.sandbox() as two:
        assert one.id.startswith("sbx_")
        assert one.id != two.id
        one.run("cd /usr")
        assert (one.run("echo $WHO in $PWD").stdout, two.run("echo [$WHO]").stdout) == (
            "me in /usr\n",
            "[]\n",
        )
        assert {one.id, two.id} <= {sandbox.id for sandbox in t.sandboxes()}
        assert one.refresh().id == one.id
    with pytest.raises(NotFound):
        one.run("true")
    with pytest.raises(NotFound):
        t.find_sandbox(one.id)
    assert not one.close()


def test_files_are_put_into_it(t: Talaria, world: World, tmp_path: pathlib.Path) -> None:
    local = tmp_path / "local"
    local.mkdir()
    (local / "x").write_text("from here")
    work = str(world.root / "work")
    with t.sandbox(cwd=work, files={"a.txt": "text", "b.bin": b"\xff", "tree": local}) as sandbox:
        assert sandbox.cwd() == work
        assert sandbox.run("cat a.txt tree/x").stdout == "textfrom here"
        assert sandbox.files.read("b.bin") == b"\xff"


def test_it_is_found_again(t: Talaria) -> None:
    with t.sandbox(name="found") as sandbox, Talaria() as other:
        sandbox.run("cd /usr")
        assert other.find_sandbox(sandbox.id).run("pwd").stdout == "/usr\n"
    with pytest.raises(NotFound):
        t.find_sandbox("sbx_000000000000")


def test_processes_end_with_it(t: Talaria, world: World) -> None:
    with t.sandbox() as sandbox:
        process = sandbox.start("sleep 984.1")
        assert [one.id for one in sandbox.processes()] == [process.id]
    eventually(lambda: not world.has("sleep 984.1"))


def test_what_a_client_left_is_removed_with_it(world: World) -> None:
    with Talaria() as t:
        left, kept = t.sandbox(), t.sandbox(keep=True)
    with Talaria() as other:
        ids = {one.id for one in other.sandboxes()}
        assert left.id not in ids
        assert kept.id in ids
        other.find_sandbox(kept.id).close()


def test_what_an_interpreter_left_is_removed(own_world: World) -> None:
    done = own_world.python("from talaria import Talaria; print(Talaria().sandbox().id)")
    assert done.stderr == ""
    code = "from talaria import Talaria; print([s.id for s in Talaria().sandboxes()])"
    assert own_world.python(code).stdout == "[]\n"


def test_a_key_is_idempotent(t: Talaria) -> None:
    with t.sandbox(key="job-1") as one:
        assert t.sandbox(key="job-1").id == one.id


def test_a_ttl(t: Talaria) -> None:
    sandbox = t.sandbox(ttl=1)

    def gone() -> bool:
        try:
            sandbox.run("true")
        except NotFound:
            return True
        return False

    eventually(gone)


@pytest.mark.parametrize(
    "more", [{"target": "nowhere"}, {"cwd": "relative"}, {"ttl": "never"}, {"cpus": -1.0}]
)
def test_bad_input(t: Talaria, more: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        t.sandbox(**more)  # pyright: ignore[reportArgumentType]


def test_a_sandbox_whose_files_fail_is_not_left(t: Talaria) -> None:
    before = {one.id for one in t.sandboxes()}
    with pytest.raises((TalariaError, OSError)):
        t.sandbox(files={"x": pathlib.Path("/no/such/file")})
    assert {one.id for one in t.sandboxes()} == before
