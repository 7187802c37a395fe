"""inspect_ai: the sandbox `talaria`.

    Task(dataset=..., solver=..., sandbox="talaria")
    Task(dataset=..., solver=..., sandbox=SandboxEnvironmentSpec(
        "talaria", TalariaConfig(target="docker", image="debian:bookworm", memory="2g")))

Without a target in its configuration, a sample runs at the target that Talaria is configured for.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import posixpath
import shlex
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import yaml
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxConnection,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from talaria import AsyncSandbox, Result
from talaria.errors import Denied, InfrastructureError, NotFound, TalariaError
from talaria.integrations import _shared

log = logging.getLogger(__name__)
T = TypeVar("T")
FRAMEWORK = "inspect"
CONFIG_FILES = ["talaria.yaml", "talaria.yml"]


class TalariaConfig(BaseModel):
    """What the sandbox of a sample is. Absent members are as Talaria is configured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str | None = None
    """`docker`, `podman`, `local`, ..."""
    image: str | None = None
    cwd: str | None = None
    """Where commands begin; absent: the WORKDIR of the image, at local a new directory."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables of the sandbox."""
    cpus: float | None = None
    memory: int | str | None = None
    """Megabytes, or a text such as `"2g"`."""
    disk: int | str | None = None
    ttl: float | str | None = None
    """The sandbox ends after this time even if nobody ends it: seconds, or `"2h"`."""

    @classmethod
    def load(cls, value: Any) -> TalariaConfig:
        """The configuration for a mapping, whose `env` may be a mapping, too."""
        if isinstance(value, dict) and isinstance(value.get("env"), dict):
            value = {**value, "env": tuple(sorted(value["env"].items()))}
        return cls.model_validate(value)


@sandboxenv(name="talaria")
class TalariaSandboxEnvironment(SandboxEnvironment):
    """A sandbox of one sample."""

    @classmethod
    @override
    def config_files(cls) -> list[str]:
        return CONFIG_FILES

    @classmethod
    @override
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        return TalariaConfig.load(config)

    @classmethod
    @override
    async def sample_init(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        metadata: dict[str, str],
    ) -> dict[str, SandboxEnvironment]:
        return {"default": await cls.create(task_name, _configuration(config))}

    @classmethod
    async def create(cls, task_name: str, config: TalariaConfig) -> TalariaSandboxEnvironment:
        """Makes a sandbox."""
        sandbox = await _infrastructure(
            _shared.shared_async().sandbox(
                config.target,
                image=config.image,
                cwd=config.cwd,
                env=dict(config.env),
                cpus=config.cpus,
                memory=config.memory,
                disk=config.disk,
                ttl=config.ttl,
                name=_shared.sandbox_name(FRAMEWORK, task_name),
                keep=True,  # task_cleanup ends what is left, unless --no-sandbox-cleanup
            )
        )
        environment = cls(sandbox)
        _of_this_loop().add(environment)
        try:
            await environment._begin(config)
        except BaseException:
            await asyncio.shield(environment.close())
            raise
        return environment

    @classmethod
    @override
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            await environment.as_type(TalariaSandboxEnvironment).close()

    @classmethod
    @override
    async def task_cleanup(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, cleanup: bool
    ) -> None:
        for environment in list(_of_this_loop()):
            if cleanup:
                await environment.close()
            else:
                print(f"The sandbox {environment.sandbox.id} was kept. To remove it:")
                print(f"  inspect sandbox cleanup talaria {environment.sandbox.id}")
        _of_this_loop().clear()
        await _shared.end_async()

    @classmethod
    @override
    async def cli_cleanup(cls, id: str | None) -> None:
        client = _shared.shared_async()
        removed = 0
        for sandbox in await client.sandboxes():
            if sandbox.id == id or (id is None and _shared.made_by(FRAMEWORK, sandbox)):
                removed += await sandbox.close()
        print(f"Removed {removed} {'sandbox' if removed == 1 else 'sandboxes'} of Talaria.")
        await _shared.end_async()

    def __init__(self, sandbox: AsyncSandbox) -> None:
        super().__init__()
        self.sandbox = sandbox
        self.cwd = sandbox.info.cwd

    async def close(self) -> None:
        """Ends the sandbox, with what runs in it. Again: does nothing."""
        _of_this_loop().discard(self)
        try:
            await self.sandbox.close()
        except TalariaError as error:
            log.warning("%s was not removed: %s", self.sandbox.id, error)

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Runs a command. It is never run again by itself: `timeout_retry` has no effect."""
        limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        try:
            result = await self.sandbox.run(
                cmd,
                stdin=input,
                cwd=self._path(cwd or ""),
                env=env,
                user=user,
                timeout=timeout,
                session=False,
                max_output=limit,
            )
        except TalariaError as error:
            if str(error).startswith("user:"):
                raise SandboxUserUnsupportedError(str(error)) from error
            raise _typed(error) from error
        if result.timed_out:
            raise _with_output(TimeoutError(f"Command timed out after {timeout} seconds"), result)
        if max(result.stdout_bytes, result.stderr_bytes) > limit:
            raise OutputLimitExceededError(
                SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, result.output
            )
        if _was_not_executable(result, cmd):
            raise PermissionError(errno.EACCES, result.stderr.strip(), cmd[0])
        return ExecResult(result.exit_code == 0, result.exit_code, result.stdout, result.stderr)

    @override
    async def write_file(self, file: str, contents: str | bytes) -> None:
        path = self._path(file)
        try:
            stat = await self.sandbox.files.stat(path)
            if stat.is_directory:
                raise IsADirectoryError(errno.EISDIR, "Is a directory", file)
            # Root may write it all the same. Who took the right away wants an error.
            if stat.is_file and not stat.mode & 0o200:
                raise PermissionError(errno.EACCES, "Permission denied", file)
        except TalariaError as error:
            if not isinstance(error, NotFound):
                raise _typed(error, file) from error
        try:
            await self.sandbox.files.write(path, contents)
        except TalariaError as error:
            raise _typed(error, file) from error

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    @override
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        path = self._path(file)
        limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        try:
            stat = await self.sandbox.files.stat(path)
            if stat.is_directory:
                raise IsADirectoryError(errno.EISDIR, "Is a directory", file)
            if stat.is_file and not stat.mode & 0o400:
                raise PermissionError(errno.EACCES, "Permission denied", file)
            contents = await self.sandbox.files.read(path, max_bytes=limit + 1)
        except NotFound as error:
            await self._must_be_there()
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", file) from error
        except TalariaError as error:
            raise _typed(error, file) from error
        if len(contents) > limit:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return contents.decode("utf-8") if text else contents

    @override
    async def connection(self, *, user: str | None = None) -> SandboxConnection:
        if user is not None:
            raise NotImplementedError("Talaria does not connect as another user")
        try:
            await self.sandbox.refresh()
        except TalariaError as error:
            raise ConnectionError(str(error)) from error
        command = ["talaria", "exec", "-it", "--task", self.sandbox.id, "bash"]
        return SandboxConnection(type="talaria", command=shlex.join(command))

    @override
    def default_polling_interval(self) -> float:
        return 0.2

    async def _must_be_there(self) -> None:
        """A file that is not found may be one of a sandbox that is gone."""
        try:
            await self.sandbox.refresh()
        except TalariaError as error:
            raise SandboxUnavailableError(str(error)) from error

    def _path(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self.cwd, path))

    async def _begin(self, config: TalariaConfig) -> None:
        if config.cwd is None:
            await _shared.begin_in_image_async(self.sandbox)
            self.cwd = await self.sandbox.cwd()


_environments: dict[asyncio.AbstractEventLoop, set[TalariaSandboxEnvironment]] = {}


def _of_this_loop() -> set[TalariaSandboxEnvironment]:
    return _environments.setdefault(asyncio.get_running_loop(), set())


def _configuration(config: SandboxEnvironmentConfigType | None) -> TalariaConfig:
    if config is None:
        return TalariaConfig()
    if isinstance(config, TalariaConfig):
        return config
    if isinstance(config, str):
        text = Path(config).read_text(encoding="utf-8")
        value = json.loads(text) if config.endswith(".json") else yaml.safe_load(text)
        return TalariaConfig.load(value or {})
    raise TypeError(
        f"the sandbox 'talaria' takes a TalariaConfig or a file of one, not {type(config).__name__}"
    )


async def _infrastructure(work: Awaitable[T]) -> T:
    try:
        return await work
    except InfrastructureError as error:
        raise SandboxUnavailableError(str(error)) from error


def _typed(error: TalariaError, file: str | None = None) -> Exception:
    """The error of inspect_ai for one of ours. What is not found is the sandbox itself."""
    message = str(error)
    if isinstance(error, (InfrastructureError, NotFound)):
        if "permission denied" in message.lower():
            return PermissionError(errno.EACCES, message, file)
        return SandboxUnavailableError(message)
    if isinstance(error, Denied):
        return PermissionError(errno.EACCES, message, file)
    if "is a directory" in message.lower():
        return IsADirectoryError(errno.EISDIR, message, file)
    return error


def _with_output(error: TimeoutError, result: Result) -> TimeoutError:
    if result.output:
        error.truncated_output = result.output  # type: ignore[attr-defined]
    return error


def _was_not_executable(result: Result, cmd: list[str]) -> bool:
    """The shell said so about the program itself, and nothing else was printed."""
    lines = result.stderr.strip().splitlines()
    return (
        result.exit_code == 126
        and not result.stdout
        and len(lines) == 1
        and cmd[0] in lines[0]
        and lines[0].lower().endswith("permission denied")
    )
