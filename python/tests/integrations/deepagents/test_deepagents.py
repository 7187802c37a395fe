"""Deep Agents drive Talaria: an agent with a scripted model, the backend, the CLI's provider."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents_code.integrations.sandbox_factory import create_sandbox
from deepagents_code.integrations.sandbox_provider import SandboxNotFoundError
from deepagents_code.integrations.sandbox_registry import SandboxRegistry
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from talaria import Sandbox, Talaria
from talaria.integrations.deepagents import TalariaBackend, TalariaProvider


class Scripted(GenericFakeChatModel):
    """A model that says what it is told to, whatever tools it is given."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Scripted:
        return self


@pytest.fixture
def talaria() -> Iterator[Talaria]:
    with Talaria() as client:
        yield client


@pytest.fixture
def sandbox(talaria: Talaria, tmp_path: pathlib.Path) -> Iterator[Sandbox]:
    directory = tmp_path / "workspace"
    directory.mkdir()
    with talaria.sandbox("local", cwd=str(directory)) as made:
        yield made


@pytest.fixture
def workspace(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "workspace"


@pytest.fixture
def backend(sandbox: Sandbox) -> TalariaBackend:
    return TalariaBackend(sandbox)


def test_version(check_version: Callable[[str], None]) -> None:
    check_version("deepagents")
    check_version("deepagents-code")


def call(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}"}])


def test_an_agent_solves_a_task(backend: TalariaBackend, workspace: pathlib.Path) -> None:
    script = [
        call("write_file", file_path=f"{workspace}/a.py", content="print(6 * 7)\n"),
        call("execute", command="python3 a.py"),
        AIMessage("It prints 42."),
    ]
    agent = create_deep_agent(model=Scripted(messages=iter(script)), backend=backend)
    state = agent.invoke({"messages": [{"role": "user", "content": "What does it print?"}]})
    assert state["messages"][-1].content == "It prints 42."
    results = [m.content for m in state["messages"] if m.type == "tool"]
    assert "42" in str(results[1])
    assert (workspace / "a.py").read_text() == "print(6 * 7)\n"


def test_execute(backend: TalariaBackend) -> None:
    result = backend.execute("echo out; echo err >&2; exit 3")
    assert (result.output, result.exit_code, result.truncated) == ("out\nerr\n", 3, False)


def test_the_session_is_kept(backend: TalariaBackend, workspace: pathlib.Path) -> None:
    backend.execute("mkdir inner; cd inner; export COLOUR=blue")
    assert backend.execute("pwd; echo $COLOUR").output == f"{workspace}/inner\nblue\n"


def test_timeout(backend: TalariaBackend) -> None:
    result = backend.execute("echo begun; sleep 60", timeout=1)
    assert result.exit_code == 124
    assert result.output.startswith("begun\n")
    assert "timed out after 1s" in result.output


def test_a_refused_command_is_an_answer(talaria: Talaria, backend: TalariaBackend) -> None:
    talaria.approvals.handler(lambda question: False)
    result = backend.execute("rm -rf ./absent-folder")
    assert result.exit_code == 126
    assert "BLOCKED" in result.output


def test_file_tools_of_the_base_class(backend: TalariaBackend, workspace: pathlib.Path) -> None:
    path = f"{workspace}/src/a.txt"
    assert backend.write(path, "one\ntwo\nthree\n").error is None
    read = backend.read(path, offset=1, limit=1)
    assert read.file_data is not None
    assert read.file_data["content"] == "two"
    assert backend.edit(path, "two", "TWO").error is None
    assert (workspace / "src/a.txt").read_text() == "one\nTWO\nthree\n"
    assert [one["path"] for one in backend.ls(f"{workspace}/src").entries or []] == [path]
    matches = backend.grep("TWO", str(workspace)).matches or []
    assert [(one["path"], one["line"]) for one in matches] == [(path, 2)]
    assert [one["path"] for one in backend.glob("**/*.txt", str(workspace)).matches or []] == [path]


def test_upload_and_download(backend: TalariaBackend, workspace: pathlib.Path) -> None:
    content = bytes(range(256)) * 8192
    uploaded = backend.upload_files([(f"{workspace}/a.bin", content), ("relative", b"x")])
    assert [one.error for one in uploaded] == [None, "invalid_path"]
    downloaded = backend.download_files(
        [f"{workspace}/a.bin", f"{workspace}/absent", str(workspace)]
    )
    assert downloaded[0].content == content
    assert [one.error for one in downloaded] == [None, "file_not_found", "is_directory"]


@pytest.mark.asyncio
async def test_asynchronous(backend: TalariaBackend) -> None:
    assert (await backend.aexecute("echo there")).output == "there\n"


def test_the_provider_is_found_by_its_entry_point(talaria: Talaria) -> None:
    registry = SandboxRegistry.load()
    assert "talaria" in registry.available_providers()
    metadata = registry.get_metadata("talaria")
    assert metadata is not None
    assert (metadata.name, metadata.supports_sandbox_id) == ("talaria", True)
    assert isinstance(registry.create_provider("talaria"), TalariaProvider)


def test_the_command_line_makes_a_sandbox(tmp_path: pathlib.Path) -> None:
    with create_sandbox("talaria", params={"target": "local", "cwd": str(tmp_path)}) as backend:
        assert backend.execute("pwd").output.strip() == str(tmp_path)
        found = backend.id
        provider = TalariaProvider()
        assert provider.get_or_create(sandbox_id=found).execute("echo again").output == "again\n"
    with pytest.raises(SandboxNotFoundError):
        TalariaProvider().get_or_create(sandbox_id=found)


def test_unknown_parameters_are_named() -> None:
    with pytest.raises(TypeError, match="colour"):
        TalariaProvider().get_or_create(colour="blue")


def test_the_page(
    code_of_page: Callable[[str, str], str],
    tmp_path: pathlib.Path,
) -> None:
    steps = [call("execute", command="echo hello > hello.txt"), AIMessage("Done.")]
    names: dict[str, Any] = {
        "model": Scripted(messages=iter(steps)),
        "target": "local",
        "workspace": str(tmp_path),
    }
    exec(code_of_page("deepagents.md", "backend"), names)
    assert names["state"]["messages"][-1].content == "Done."
    assert (tmp_path / "hello.txt").read_text() == "hello\n"


def test_in_a_container(talaria: Talaria, docker_image: str) -> None:
    with talaria.sandbox("docker", image=docker_image) as sandbox:
        backend = TalariaBackend(sandbox)
        assert backend.execute("test -e /.dockerenv").exit_code == 0
        assert backend.write("/srv/a.txt", "one\ntwo\n").error is None
        assert backend.edit("/srv/a.txt", "two", "2").error is None
        assert backend.download_files(["/srv/a.txt"])[0].content == b"one\n2\n"
