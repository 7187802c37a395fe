"""The OpenHands SDK drives Talaria: an agent with a scripted model, and the workspace."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from openhands.sdk import Agent, Conversation, Tool, register_tool
from openhands.sdk.git.exceptions import GitPathError, GitRepositoryError
from openhands.sdk.git.models import GitChangeStatus
from openhands.sdk.llm import Message, MessageToolCall, TextContent
from openhands.sdk.testing import TestLLM
from openhands.sdk.workspace import BaseWorkspace

from talaria import Talaria
from talaria.integrations.openhands import TalariaTerminal, TalariaWorkspace


@pytest.fixture
def talaria() -> Iterator[Talaria]:
    with Talaria() as client:
        yield client


@pytest.fixture
def workspace(talaria: Talaria, tmp_path: pathlib.Path) -> Iterator[TalariaWorkspace]:
    with TalariaWorkspace(working_dir=str(tmp_path / "work"), target="local").use(talaria) as made:
        assert isinstance(made, TalariaWorkspace)
        yield made


def test_version(check_version: Callable[[str], None]) -> None:
    check_version("openhands-sdk")


def said(text: str = "", call: MessageToolCall | None = None) -> Message:
    return Message(
        role="assistant",
        content=[TextContent(text=text)] if text else [],
        tool_calls=[call] if call else None,
    )


def called(name: str, arguments: str) -> Message:
    return said(
        call=MessageToolCall(id=f"call-{name}", name=name, arguments=arguments, origin="completion")
    )


def test_an_agent_solves_a_task(workspace: TalariaWorkspace, tmp_path: pathlib.Path) -> None:
    llm = TestLLM.from_messages(
        [
            called("talaria_terminal", '{"command": "echo $((6 * 7)) | tee answer.txt"}'),
            called("finish", '{"message": "It is 42."}'),
        ]
    )
    register_tool("talaria_terminal", TalariaTerminal.of(workspace))
    agent = Agent(llm=llm, tools=[Tool(name="talaria_terminal")])
    conversation = Conversation(
        agent=agent, workspace=str(tmp_path / "host"), visualizer=None, persistence_dir=None
    )
    conversation.send_message("What is 6 * 7?")
    conversation.run()
    assert workspace.execute_command("cat answer.txt").stdout == "42\n"
    observed = [event for event in conversation.state.events if "42" in str(event)]
    assert observed
    conversation.close()


def test_it_is_a_workspace_of_the_sdk(workspace: TalariaWorkspace) -> None:
    assert isinstance(workspace, BaseWorkspace)
    again = BaseWorkspace.model_validate(workspace.model_dump())
    assert isinstance(again, TalariaWorkspace)
    assert again.target == "local"


def test_commands(workspace: TalariaWorkspace, tmp_path: pathlib.Path) -> None:
    result = workspace.execute_command("echo out; echo err >&2; exit 3")
    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 3)
    assert workspace.execute_command("pwd").stdout.strip() == str(tmp_path / "work")
    workspace.execute_command("mkdir inner; cd inner")
    assert workspace.execute_command("pwd").stdout.strip() == str(tmp_path / "work")
    assert workspace.execute_command("pwd", cwd="inner").stdout.strip() == str(
        tmp_path / "work/inner"
    )


def test_timeout(workspace: TalariaWorkspace) -> None:
    result = workspace.execute_command("echo begun; sleep 60", timeout=0.5)
    assert (result.timeout_occurred, result.exit_code, result.stdout) == (True, -1, "begun\n")


def test_a_refused_command_is_an_answer(talaria: Talaria, workspace: TalariaWorkspace) -> None:
    talaria.approvals.handler(lambda question: False)
    result = workspace.execute_command("rm -rf ./absent-folder")
    assert result.exit_code == 126
    assert "BLOCKED" in result.stderr


def test_upload_and_download(workspace: TalariaWorkspace, tmp_path: pathlib.Path) -> None:
    content = bytes(range(256)) * 5000
    (tmp_path / "a.bin").write_bytes(content)
    up = workspace.file_upload(tmp_path / "a.bin", "sub/a.bin")
    assert (up.success, up.file_size) == (True, len(content))
    down = workspace.file_download("sub/a.bin", tmp_path / "b.bin")
    assert (down.success, down.file_size) == (True, len(content))
    assert (tmp_path / "b.bin").read_bytes() == content
    missing = workspace.file_download("absent", tmp_path / "c.bin")
    assert not missing.success
    assert missing.error


@pytest.fixture
def repository(workspace: TalariaWorkspace) -> TalariaWorkspace:
    made = workspace.execute_command(
        "git init -q repo && cd repo"
        " && git config user.email a@example.org && git config user.name A"
        " && printf 'one\\n' > a.txt && printf 'x\\n' > gone.txt"
        " && git add . && git commit -qm first"
        " && printf 'two\\n' > a.txt && rm gone.txt && printf 'new\\n' > 'with space.txt'"
    )
    assert made.exit_code == 0, made.stderr
    return workspace


def test_git_changes(repository: TalariaWorkspace) -> None:
    found = {str(change.path): change.status for change in repository.git_changes("repo")}
    assert found == {
        "a.txt": GitChangeStatus.UPDATED,
        "gone.txt": GitChangeStatus.DELETED,
        "with space.txt": GitChangeStatus.ADDED,
    }


def test_git_diff(repository: TalariaWorkspace) -> None:
    changed = repository.git_diff("repo/a.txt")
    assert (changed.original, changed.modified) == ("one", "two")
    gone = repository.git_diff("repo/gone.txt")
    assert (gone.original, gone.modified) == ("x", "")
    new = repository.git_diff("repo/with space.txt")
    assert (new.original, new.modified) == ("", "new")
    with pytest.raises(GitPathError):
        repository.git_diff("repo/absent.txt")


def test_no_repository(workspace: TalariaWorkspace) -> None:
    with pytest.raises(GitRepositoryError):
        workspace.git_changes(".")


def test_the_same_as_the_workspace_of_the_sdk(
    repository: TalariaWorkspace, tmp_path: pathlib.Path
) -> None:
    """Its LocalWorkspace, in the same directory, says the same."""
    from openhands.sdk.workspace import LocalWorkspace

    local = LocalWorkspace(working_dir=str(tmp_path / "work"))
    assert local.git_diff("repo/a.txt") == repository.git_diff("repo/a.txt")
    for name in ("a.txt", "gone.txt"):
        theirs = [c.status for c in local.git_changes("repo") if str(c.path) == name]
        assert theirs == [c.status for c in repository.git_changes("repo") if str(c.path) == name]
    command = "echo out; echo err >&2; exit 3"
    assert local.execute_command(command) == repository.execute_command(command)


def test_close_removes_the_sandbox(talaria: Talaria, tmp_path: pathlib.Path) -> None:
    workspace = TalariaWorkspace(working_dir=str(tmp_path / "work"), target="local").use(talaria)
    made: Any = workspace.sandbox
    workspace.close()
    workspace.close()
    assert made.id not in [one.id for one in talaria.sandboxes()]


def test_the_page(
    code_of_page: Callable[[str, str], str],
    tmp_path: pathlib.Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps = [
        called("talaria_terminal", '{"command": "echo hello again > hello.txt"}'),
        called("finish", '{"message": "Done."}'),
    ]
    names: dict[str, Any] = {
        "workspace": str(tmp_path / "work"),
        "notes": str(tmp_path / "notes"),
        "target": "local",
        "llm": TestLLM.from_messages(steps),
    }
    exec(code_of_page("openhands.md", "workspace"), names)
    assert "hello" in capsys.readouterr().out
    exec(code_of_page("openhands.md", "conversation"), names)
    assert (tmp_path / "work" / "hello.txt").read_text() == "hello again\n"


def test_in_a_container(talaria: Talaria, docker_image: str, tmp_path: pathlib.Path) -> None:
    workspace = TalariaWorkspace(working_dir="/srv/work", target="docker", image=docker_image)
    with workspace.use(talaria) as work:
        assert work.execute_command("pwd; test -e /.dockerenv").stdout == "/srv/work\n"
        (tmp_path / "a.txt").write_text("in the container\n")
        assert work.file_upload(tmp_path / "a.txt", "a.txt").success
        assert work.execute_command("cat a.txt").stdout == "in the container\n"
