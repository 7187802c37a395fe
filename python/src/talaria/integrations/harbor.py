"""Harbor (Terminal-Bench): an environment by its import path.

    harbor run --path TASK --agent oracle \\
      -e talaria.integrations.harbor:TalariaEnvironment

Tasks write to `/tests`, `/solution` and `/logs`, so the target must be isolated: docker (the
default) or podman.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, override

from harbor.environments.base import (
    BaseEnvironment,
    ExecResult,
    OutputCallback,
    SandboxBuildFailedError,
)
from harbor.environments.capabilities import (
    EnvironmentCapabilities,
    EnvironmentResourceCapabilities,
)
from harbor.models.task.config import TaskOS
from harbor.models.trial.config import ResourceMode

from talaria import AsyncSandbox, Result
from talaria.integrations import _shared

FRAMEWORK = "harbor"
TARGETS = ("docker", "podman")
COMPOSE_FILES = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml")


class CommandTimedOut(RuntimeError):
    """A command was ended at its time limit. `result` has what it printed.

    It is no TimeoutError: Harbor takes such an error for the time limit of the whole agent.
    """

    def __init__(self, seconds: float | None, result: Result) -> None:
        super().__init__(f"Command timed out after {seconds} seconds")
        self.result = result


class TalariaEnvironment(BaseEnvironment):
    """The sandbox of a trial. `target` is docker or podman, `ttl` ends it even if nobody does.

    If the machinery fails, errors are `talaria.errors.InfrastructureError`, so that a trial that
    may be repeated can be told from one that failed.
    """

    def __init__(
        self, *args: Any, target: str = "docker", ttl: float | str | None = "24h", **kwargs: Any
    ) -> None:
        if target not in TARGETS:
            raise ValueError(f"target {target} has no images; use one of {', '.join(TARGETS)}")
        self._target = target
        self._ttl = ttl
        self._sandbox: AsyncSandbox | None = None
        super().__init__(*args, **kwargs)

    @staticmethod
    @override
    def type() -> str:
        return "talaria"

    @property
    @override
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities()

    @classmethod
    @override
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        return EnvironmentResourceCapabilities(cpu_limit=True, memory_limit=True)

    @override
    def _validate_definition(self) -> None:
        if self.task_env_config.os != TaskOS.LINUX:
            raise ValueError("Talaria runs tasks for Linux only")
        if any((self.environment_dir / name).exists() for name in COMPOSE_FILES):
            raise ValueError("Talaria runs tasks of one container, without Docker Compose")
        if not self.task_env_config.docker_image and not self._dockerfile.exists():
            raise FileNotFoundError(
                f"{self.environment_dir} has no Dockerfile, and the task names no docker_image"
            )

    @override
    async def start(self, force_build: bool) -> None:
        image = await self._image(force_build)
        self._sandbox = await _shared.shared_async().sandbox(
            self._target,
            image=image,
            cwd=self.task_env_config.workdir,
            cpus=self._resource_limit_value("cpu", auto_mode=ResourceMode.LIMIT),
            memory=self._resource_limit_value("memory", auto_mode=ResourceMode.LIMIT),
            disk=self._effective_storage_mb,
            ttl=self._ttl,
            name=_shared.sandbox_name(FRAMEWORK, self.session_id),
            keep=True,  # stop() says whether it is removed
        )
        try:
            if not self._sandbox.info.isolated:
                raise ValueError(
                    f"target {self._target} is not isolated: its configuration gives containers a "
                    "way to this machine, for example a mount. Tasks need a place of their own"
                )
            if not self.task_env_config.workdir:
                await _shared.begin_in_image_async(self._sandbox)
            await self._make_directories()
            await self._upload_environment_dir_after_start()
        except BaseException:
            await asyncio.shield(self.stop(delete=True))
            raise

    @override
    async def stop(self, delete: bool) -> None:
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is None:
            return
        if delete:
            await sandbox.close()
        else:
            self.logger.info("sandbox %s was kept; 'talaria env rm' removes it", sandbox.id)

    @override
    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        files = self._running.files
        if target_path.endswith("/") or await self.is_dir(target_path):
            target_path = f"{target_path.rstrip('/')}/{Path(source_path).name}"
        await files.upload(source_path, target_path)

    @override
    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        await self._running.files.upload(source_dir, target_dir)

    @override
    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        await self._running.files.download(source_path, target_path)

    @override
    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        await self._running.files.download(source_dir, target_dir)

    @override
    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        callback = self._output_callback()
        options: dict[str, Any] = {
            "cwd": cwd or self.task_env_config.workdir,
            "env": self._merge_env(env),
            "timeout": timeout_sec,
            "user": self._resolve_user(user),
            "session": False,
        }
        if callback is None:
            result = await self._running.run(command, **options)
            stdout, stderr = result.stdout, result.stderr
        else:
            result, stdout, stderr = await self._exec_streamed(command, options, callback)
        if result.timed_out:
            raise CommandTimedOut(timeout_sec, result)
        return ExecResult(stdout=stdout, stderr=stderr, return_code=result.exit_code)

    async def _exec_streamed(
        self, command: str, options: dict[str, Any], callback: OutputCallback
    ) -> tuple[Result, str, str]:
        printed: dict[str, list[str]] = {"stdout": [], "stderr": []}
        async with self._running.stream(command, **options) as stream:
            async for chunk in stream:
                name = "stderr" if chunk.stream == "stderr" else "stdout"
                printed[name].append(chunk.data)
                await callback(chunk.data, name)
        return stream.result, "".join(printed["stdout"]), "".join(printed["stderr"])

    @property
    def _running(self) -> AsyncSandbox:
        if self._sandbox is None:
            raise RuntimeError("the environment was not started, or was stopped")
        return self._sandbox

    @property
    def _dockerfile(self) -> Path:
        return self.environment_dir / "Dockerfile"

    async def _make_directories(self) -> None:
        result = await self.ensure_dirs(self._mount_targets(writable_only=True))
        if result is not None and result.return_code != 0:
            raise RuntimeError(f"the directories of the trial cannot be made: {result.stderr}")

    async def _image(self, force_build: bool) -> str:
        """The image that the task names, or one that its Dockerfile makes: once for one content."""
        named = self.task_env_config.docker_image
        if named and not (force_build and self._dockerfile.exists()):
            return named
        image = f"talaria-harbor:{self.environment_id}"
        if force_build or (await self._engine(["image", "inspect", image]))[0] != 0:
            build = [
                "build",
                "--label",
                "talaria-harbor",
                "--tag",
                image,
                str(self.environment_dir),
            ]
            code, output = await self._engine(build, self.task_env_config.build_timeout_sec)
            if code != 0:
                raise SandboxBuildFailedError(f"{self._dockerfile}: {output[-4000:]}")
        return image

    async def _engine(
        self, arguments: Sequence[str], timeout: float | None = 60
    ) -> tuple[int, str]:
        """Runs the program of the engine."""
        process = await asyncio.create_subprocess_exec(
            _shared.engine_program(self._target),
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            output, _ = await asyncio.wait_for(process.communicate(), timeout)
        except BaseException:
            process.kill()
            await process.wait()
            raise
        return process.returncode or 0, output.decode(errors="replace")
