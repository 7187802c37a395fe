"""A sandbox session of the SDK on a sandbox of Talaria."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

from agents.sandbox.errors import (
    ExecTimeoutError,
    ExecTransportError,
    ExposedPortUnavailableError,
    WorkspaceArchiveReadError,
    WorkspaceArchiveWriteError,
    WorkspaceReadNotFoundError,
    WorkspaceStartError,
    WorkspaceWriteTypeError,
)
from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
from agents.sandbox.session.pty_types import PtyExecUpdate
from agents.sandbox.session.runtime_helpers import (
    RESOLVE_WORKSPACE_PATH_HELPER,
    RuntimeHelperScript,
)
from agents.sandbox.session.sandbox_session_state import SandboxSessionState
from agents.sandbox.types import ExecResult, ExposedPortEndpoint, User
from agents.sandbox.util.tar_utils import UnsafeTarMemberError, validate_tar_bytes
from pydantic import Field

from talaria import AsyncSandbox
from talaria.errors import Denied, NotFound, TalariaError

from .terminals import Terminals

REFUSED = 126  # what a shell answers when it may not execute a command


class TalariaSandboxSessionState(SandboxSessionState):
    """What a session needs to be found again."""

    type: Literal["talaria"] = "talaria"
    sandbox_id: str
    target: str | None = None
    image: str | None = None
    cpus: float | None = None
    memory: str | int | None = None
    ttl: float | str | None = None
    env: dict[str, str] = Field(default_factory=dict)


class TalariaSandboxSession(BaseSandboxSession):
    """Commands, files and terminals of a sandbox, as the SDK asks for them."""

    state: TalariaSandboxSessionState

    def __init__(self, *, state: TalariaSandboxSessionState, sandbox: AsyncSandbox) -> None:
        self.state = state
        self.sandbox = sandbox
        self._root_ready = state.workspace_root_ready
        self._terminals = Terminals()

    # Commands

    async def _exec_internal(
        self, *command: str | Path, timeout: float | None = None
    ) -> ExecResult:
        argv, user = _user_of([str(word) for word in command])
        try:
            async with self.sandbox.stream(
                argv,
                timeout=timeout,
                env=await self._variables(),
                cwd=self._directory(),
                user=user,
                raw=True,
                session=False,
            ) as stream:
                pieces: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
                async for chunk in stream:
                    pieces[chunk.stream].append(chunk.raw)
                result = stream.result
        except Denied as error:
            return ExecResult(stdout=b"", stderr=error.message.encode(), exit_code=REFUSED)
        except TalariaError as error:
            raise ExecTransportError(command=command, cause=error, message=str(error)) from error
        if result.timed_out:
            raise ExecTimeoutError(
                command=command,
                timeout_s=timeout,
                context={
                    name: b"".join(data).decode("utf-8", "replace") for name, data in pieces.items()
                },
            )
        return ExecResult(
            stdout=b"".join(pieces["stdout"]),
            stderr=b"".join(pieces["stderr"]),
            exit_code=result.exit_code,
        )

    async def _variables(self) -> dict[str, str]:
        return {**self.state.env, **await self.state.manifest.environment.resolve()}

    def _directory(self) -> str | None:
        return self.state.manifest.root if self._root_ready else None

    # Terminals

    def supports_pty(self) -> bool:
        return True

    async def pty_exec_start(
        self,
        *command: str | Path,
        timeout: float | None = None,
        shell: bool | list[str] = True,
        user: str | User | None = None,
        tty: bool = False,
        yield_time_s: float | None = None,
        max_output_tokens: int | None = None,
    ) -> PtyExecUpdate:
        argv = self._prepare_exec_command(*command, shell=shell, user=user)
        try:
            process = await self.sandbox.start(
                argv,
                env=await self._variables(),
                cwd=self._directory(),
                terminal=tty,
                max_age=timeout,
            )
        except TalariaError as error:
            raise ExecTransportError(command=command, cause=error, message=str(error)) from error
        return await self._terminals.add(process, tty, yield_time_s, max_output_tokens)

    async def pty_write_stdin(
        self,
        *,
        session_id: int,
        chars: str,
        yield_time_s: float | None = None,
        max_output_tokens: int | None = None,
    ) -> PtyExecUpdate:
        return await self._terminals.write(session_id, chars, yield_time_s, max_output_tokens)

    async def pty_terminate_all(self) -> None:
        await self._terminals.close()

    # Files

    async def _validate_path_access(self, path: Path | str, *, for_write: bool = False) -> Path:
        return await self._validate_remote_path_access(path, for_write=for_write)

    def _runtime_helpers(self) -> tuple[RuntimeHelperScript, ...]:
        return (RESOLVE_WORKSPACE_PATH_HELPER,)

    def _current_runtime_helper_cache_key(self) -> object | None:
        return self.state.sandbox_id

    async def read(self, path: Path, *, user: str | User | None = None) -> io.IOBase:
        if user is not None:
            await self._check_read_with_exec(path, user=user)
        workspace_path = await self._validate_path_access(path)
        try:
            return io.BytesIO(await self.sandbox.files.read(workspace_path.as_posix()))
        except NotFound as error:
            raise WorkspaceReadNotFoundError(path=path, cause=error) from error
        except TalariaError as error:
            raise WorkspaceArchiveReadError(path=path, cause=error) from error

    async def write(self, path: Path, data: io.IOBase, *, user: str | User | None = None) -> None:
        if user is not None:
            await self._check_write_with_exec(path, user=user)
        payload = _bytes(path, data)
        workspace_path = await self._validate_path_access(path, for_write=True)
        try:
            await self.sandbox.files.write(workspace_path.as_posix(), payload)
        except TalariaError as error:
            raise WorkspaceArchiveWriteError(path=workspace_path, cause=error) from error

    async def persist_workspace(self) -> io.IOBase:
        root = self._workspace_root_path()
        skipped = sorted(path.as_posix() for path in self._persist_workspace_skip_relpaths())
        excludes = [f"--exclude=./{path}" for path in skipped if path not in (".", "")]
        archive = await self._exec_internal(
            "tar", "-C", root.as_posix(), *excludes, "-cf", "-", "."
        )
        if not archive.ok():
            context = {
                "exit_code": archive.exit_code,
                "stderr": archive.stderr.decode("utf-8", "replace"),
            }
            raise WorkspaceArchiveReadError(path=root, context=context)
        return io.BytesIO(archive.stdout)

    async def hydrate_workspace(self, data: io.IOBase) -> None:
        root = self._workspace_root_path()
        payload = _bytes(root, data)
        try:
            validate_tar_bytes(payload, allow_external_symlink_targets=False)
        except UnsafeTarMemberError as error:
            context = {"reason": "unsafe_or_invalid_tar", "member": error.member}
            raise WorkspaceArchiveWriteError(path=root, context=context, cause=error) from error
        try:
            await self._make_root()
            argv = ["tar", "-C", root.as_posix(), "-xf", "-"]
            result = await self.sandbox.run(argv, stdin=payload, session=False)
        except TalariaError as error:
            raise WorkspaceArchiveWriteError(path=root, cause=error) from error
        if result.exit_code != 0:
            context = {"reason": "tar failed", "output": result.output}
            raise WorkspaceArchiveWriteError(path=root, context=context)

    # Life

    async def _make_root(self) -> None:
        root = self._workspace_root_path().as_posix()
        result = await self.sandbox.run(["mkdir", "-p", "--", root], session=False)
        if result.exit_code != 0:
            raise WorkspaceStartError(path=Path(root), context={"output": result.output})
        self._root_ready = True

    async def _prepare_backend_workspace(self) -> None:
        if self._root_ready:
            return
        try:
            await self._make_root()
        except TalariaError as error:
            raise WorkspaceStartError(path=self._workspace_root_path(), cause=error) from error

    def _mark_workspace_root_ready_from_probe(self) -> None:
        super()._mark_workspace_root_ready_from_probe()
        self._root_ready = True

    async def running(self) -> bool:
        try:
            await self.sandbox.refresh()
        except TalariaError:
            return False
        return self._root_ready

    async def _shutdown_backend(self) -> None:
        await self.sandbox.close()

    async def _resolve_exposed_port(self, port: int) -> ExposedPortEndpoint:
        if self.sandbox.info.target == "local":
            return ExposedPortEndpoint(host="127.0.0.1", port=port)
        raise ExposedPortUnavailableError(
            port=port,
            exposed_ports=self.state.exposed_ports,
            reason="backend_unavailable",
            context={
                "backend": "talaria",
                "detail": "only the target local has ports of this machine",
            },
        )


def _user_of(argv: list[str]) -> tuple[list[str], str | None]:
    """The SDK asks for another user with `sudo -u USER --`; Talaria has a parameter for it."""
    if argv[:2] == ["sudo", "-u"] and argv[3:4] == ["--"]:
        return argv[4:], argv[2]
    return argv, None


def _bytes(path: Path, data: io.IOBase) -> bytes:
    payload: Any = data.read()
    if isinstance(payload, str):
        return payload.encode("utf-8")
    if isinstance(payload, (bytes, bytearray)):
        return bytes(payload)
    raise WorkspaceWriteTypeError(path=path, actual_type=type(payload).__name__)
