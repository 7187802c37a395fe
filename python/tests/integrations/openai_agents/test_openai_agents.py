"""The OpenAI Agents SDK drives Talaria: its sandbox agent, its sessions, and its shell tool."""

from __future__ import annotations

import ast
import io
import json
import pathlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from agents import Agent, RunConfig, Runner, ShellTool, set_tracing_disabled
from agents.run_config import SandboxRunConfig
from agents.sandbox.errors import (
    ExecTimeoutError,
    InvalidManifestPathError,
    WorkspaceReadNotFoundError,
)
from agents.sandbox.manifest import Environment, Manifest
from agents.sandbox.sandbox_agent import SandboxAgent
from agents.sandbox.session.sandbox_session import SandboxSession
from agents.sandbox.snapshot import LocalSnapshotSpec
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool import ShellActionRequest, ShellCallData, ShellCommandRequest

from talaria import AsyncTalaria
from talaria.integrations.openai_agents import (
    TalariaSandboxClient,
    TalariaSandboxClientOptions,
    TalariaShell,
)

set_tracing_disabled(True)
pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def talaria() -> AsyncIterator[AsyncTalaria]:
    async with AsyncTalaria() as client:
        yield client


@pytest.fixture
def workspace(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "workspace"


async def session_in(talaria: AsyncTalaria, workspace: pathlib.Path, **more: Any) -> SandboxSession:
    client = TalariaSandboxClient(talaria)
    manifest = Manifest(root=str(workspace), **more)
    return await client.create(
        manifest=manifest, options=TalariaSandboxClientOptions(target="local")
    )


async def test_version(check_version: Callable[[str], None]) -> None:
    check_version("openai-agents")


async def test_a_sandbox_agent_solves_a_task(
    talaria: AsyncTalaria, workspace: pathlib.Path
) -> None:
    model = ScriptedModel(
        [
            [
                function_call(
                    "exec_command", {"cmd": "echo it is $((6 * 7)) | tee answer.txt"}, call_id="1"
                )
            ],
            [assistant_message("It is 42.")],
        ]
    )
    agent = SandboxAgent(name="worker", model=model, default_manifest=Manifest(root=str(workspace)))
    config = RunConfig(
        sandbox=SandboxRunConfig(
            client=TalariaSandboxClient(talaria),
            options=TalariaSandboxClientOptions(target="local"),
        )
    )
    result = await Runner.run(agent, "What is 6 * 7?", run_config=config)
    assert result.final_output == "It is 42."
    assert (workspace / "answer.txt").read_text() == "it is 42\n"
    seen = json.dumps([str(item) for item in model.calls[1].input])
    assert "it is 42" in seen
    model.assert_complete()


async def test_commands(talaria: AsyncTalaria, workspace: pathlib.Path) -> None:
    async with await session_in(talaria, workspace) as session:
        both = await session.exec("printf out; printf err >&2; exit 3")
        assert (both.stdout, both.stderr, both.exit_code) == (b"out", b"err", 3)
        raw = await session.exec("printf", "%b", "a\\0377\\0000b", shell=False)
        assert raw.stdout == b"a\xff\x00b"
        there = await session.exec("pwd")
        assert there.stdout.decode().strip() == str(workspace)
        large = await session.exec("head -c 3000000 /dev/zero", timeout=60)
        assert len(large.stdout) == 3_000_000


async def test_a_timeout_is_an_error_of_its_own(
    talaria: AsyncTalaria, workspace: pathlib.Path
) -> None:
    async with await session_in(talaria, workspace) as session:
        with pytest.raises(ExecTimeoutError) as caught:
            await session.exec("echo begun; sleep 60", timeout=0.5)
        assert caught.value.context["stdout"] == "begun\n"
        assert (await session.exec("true")).ok()


async def test_variables_of_the_manifest(talaria: AsyncTalaria, workspace: pathlib.Path) -> None:
    environment = Environment(value={"COLOUR": "blue"})
    async with await session_in(talaria, workspace, environment=environment) as session:
        assert (await session.exec("echo $COLOUR")).stdout == b"blue\n"


async def test_files(talaria: AsyncTalaria, workspace: pathlib.Path) -> None:
    async with await session_in(talaria, workspace) as session:
        content = bytes(range(256)) * 5000
        await session.write(pathlib.Path("data/a.bin"), io.BytesIO(content))
        assert (await session.read(pathlib.Path("data/a.bin"))).read() == content
        assert [
            entry.path.rpartition("/")[2]
            for entry in await session.ls("data")
            if "a.bin" in entry.path
        ]
        await session.mv("data/a.bin", "data/b.bin")
        await session.rm("data/b.bin")
        with pytest.raises(WorkspaceReadNotFoundError):
            await session.read(pathlib.Path("data/b.bin"))


async def test_paths_stay_in_the_workspace(talaria: AsyncTalaria, workspace: pathlib.Path) -> None:
    async with await session_in(talaria, workspace) as session:
        await session.exec("ln", "-s", "/etc", str(workspace / "link"), shell=False)
        with pytest.raises(InvalidManifestPathError):
            await session.read(pathlib.Path("link/hostname"))
        with pytest.raises(InvalidManifestPathError):
            await session.write(pathlib.Path("../outside"), io.BytesIO(b"x"))


async def test_a_terminal(talaria: AsyncTalaria, workspace: pathlib.Path) -> None:
    async with await session_in(talaria, workspace) as session:
        begun = await session.pty_exec_start(
            "test -t 1 && echo terminal; read -r name; echo hello $name", tty=True, yield_time_s=0.3
        )
        assert begun.process_id is not None
        output = begun.output
        while b"terminal" not in output:
            output += (await session.pty_write_stdin(session_id=begun.process_id, chars="")).output
        ended = await session.pty_write_stdin(
            session_id=begun.process_id, chars="there\n", yield_time_s=20
        )
        assert b"hello there" in ended.output
        assert (ended.process_id, ended.exit_code) == (None, 0)


async def test_nothing_runs_on_after_the_session(
    talaria: AsyncTalaria, workspace: pathlib.Path
) -> None:
    session = await session_in(talaria, workspace)
    async with session:
        await session.pty_exec_start("sleep 600", yield_time_s=0.3)
        assert [p.info.running for p in await session._inner.sandbox.processes()] == [True]  # type: ignore[attr-defined]
    await session._inner.sandbox.close()  # type: ignore[attr-defined]
    assert [p for p in await talaria.processes() if p.info.running] == []


async def test_a_snapshot_brings_the_files_back(
    talaria: AsyncTalaria, workspace: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    client = TalariaSandboxClient(talaria)
    options = TalariaSandboxClientOptions(target="local")
    snapshot = LocalSnapshotSpec(base_path=tmp_path / "snapshots")
    first = await client.create(
        manifest=Manifest(root=str(workspace)), options=options, snapshot=snapshot
    )
    async with first:
        await first.write(pathlib.Path("kept.txt"), io.BytesIO(b"kept"))
    state = client.deserialize_session_state(client.serialize_session_state(first.state))
    await client.delete(first)
    (workspace / "kept.txt").unlink()
    second = await client.resume(state)
    async with second:
        assert (await second.read(pathlib.Path("kept.txt"))).read() == b"kept"
    await client.delete(second)


async def test_resume_finds_the_same_sandbox(
    talaria: AsyncTalaria, workspace: pathlib.Path
) -> None:
    client = TalariaSandboxClient(talaria)
    options = TalariaSandboxClientOptions(target="local")
    first = await client.create(manifest=Manifest(root=str(workspace)), options=options)
    await first.start()
    second = await client.resume(first.state)
    assert second.state.sandbox_id == first.state.sandbox_id  # type: ignore[attr-defined]
    await second.start()
    assert await second.running()
    await client.delete(second)
    assert not await second.running()


def request(*commands: str, timeout_ms: int | None = None) -> ShellCommandRequest:
    action = ShellActionRequest(commands=list(commands), timeout_ms=timeout_ms)
    return ShellCommandRequest(ctx_wrapper=None, data=ShellCallData(call_id="1", action=action))  # type: ignore[arg-type]


async def test_the_shell_executor(talaria: AsyncTalaria, tmp_path: pathlib.Path) -> None:
    shell = TalariaShell(talaria.task("shell"))
    result = await shell(request(f"cd {tmp_path}; echo out; echo err >&2; false", "pwd"))
    first, second = result.output
    assert (first.stdout, first.stderr, first.exit_code) == ("out\n", "err\n", 1)
    assert second.stdout.strip() == str(tmp_path)
    slow = await shell(request("echo begun; sleep 60", "echo never", timeout_ms=500))
    assert [(one.status, one.stdout) for one in slow.output] == [("timeout", "begun\n")]


async def test_a_refused_command_is_an_answer(talaria: AsyncTalaria) -> None:
    await talaria.approvals.handler(lambda question: False)
    result = await TalariaShell(talaria.task("shell"))(request("rm -rf ./absent-folder"))
    assert result.output[0].exit_code == 126
    assert "BLOCKED" in result.output[0].stderr


async def test_the_shell_tool_takes_it(talaria: AsyncTalaria) -> None:
    agent = Agent(name="shell", tools=[ShellTool(executor=TalariaShell(talaria))])
    assert agent.tools[0].name == "shell"


async def run_block(code: str, names: dict[str, Any]) -> None:
    """Runs a block that may have `await` in it."""
    compiled = compile(code, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    waiting = eval(compiled, names)
    if waiting is not None:
        await waiting


async def test_the_page(
    code_of_page: Callable[[str, str], str],
    workspace: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:
    steps = [
        [function_call("exec_command", {"cmd": "echo hello > hello.txt"}, call_id="1")],
        [assistant_message("Done.")],
    ]
    names: dict[str, Any] = {
        "model": ScriptedModel(steps),
        "workspace": str(workspace),
        "target": "local",
    }
    await run_block(code_of_page("openai_agents.md", "sandbox"), names)
    assert names["result"].final_output == "Done."
    assert (workspace / "hello.txt").read_text() == "hello\n"
    await run_block(code_of_page("openai_agents.md", "shell"), names)
    assert names["agent"].tools[0].name == "shell"


async def test_in_a_container(talaria: AsyncTalaria, docker_image: str) -> None:
    client = TalariaSandboxClient(talaria)
    options = TalariaSandboxClientOptions(target="docker", image=docker_image)
    session = await client.create(manifest=Manifest(root="/srv/work"), options=options)
    async with session:
        await session.write(pathlib.Path("a.txt"), io.BytesIO(b"in the container\n"))
        result = await session.exec("cat a.txt; test -e /.dockerenv && pwd")
        assert result.stdout == b"in the container\n/srv/work\n"
        kept = await session.persist_workspace()
        assert len(kept.read()) > 0
    await client.delete(session)
