"""NeMo Gym: the sandbox provider `talaria`.

AsyncSandbox({"talaria": {"target": "docker"}}, SandboxSpec(image="python:3.12"))
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nemo_gym.sandbox.providers.base import (
    SandboxCreateError,
    SandboxExecResult,
    SandboxHandle,
    SandboxSpec,
    SandboxStatus,
)

from talaria import AsyncSandbox
from talaria.errors import Denied, InfrastructureError, NotFound, TalariaError
from talaria.integrations import _shared

FRAMEWORK = "nemo-gym"
NOT_RUN = 125
"""The return code of a command that the machinery, not the command, failed; as other providers."""
REFUSED = 126
STATES = {
    "creating": SandboxStatus.STARTING,
    "running": SandboxStatus.RUNNING,
    "terminating": SandboxStatus.STOPPED,
    "terminated": SandboxStatus.STOPPED,
}


class TalariaProvider:
    """Makes sandboxes. `target` is where: `docker`, `podman`, `local`, ...; absent: as configured.

    `default_timeout_s` is for commands without a time limit of their own, `default_ttl_s` for
    sandboxes without one: what a killed rollout left behind ends then. The option `target` of
    `SandboxSpec.provider_options` wins over that of the provider.
    """

    name = "talaria"

    def __init__(
        self,
        *,
        target: str | None = None,
        default_timeout_s: float | None = None,
        default_ttl_s: float = 86400,
    ) -> None:
        self._target = target
        self._default_timeout = default_timeout_s
        self._default_ttl = default_ttl_s

    async def create(self, spec: SandboxSpec) -> SandboxHandle:
        options = dict(spec.provider_options)
        target = options.pop("target", self._target)
        _refuse_unsupported(spec, options)
        resources = spec.resources
        try:
            sandbox = await _shared.shared_async().sandbox(
                target,
                image=spec.image,
                cwd=spec.workdir,
                env=spec.env,
                cpus=resources.cpu,
                memory=resources.memory_mib,
                disk=None if resources.disk_gib is None else resources.disk_gib * 1024,
                ttl=spec.ttl_s if spec.ttl_s is not None else self._default_ttl,
                name=_shared.sandbox_name(FRAMEWORK, spec.image),
            )
        except TalariaError as error:
            raise SandboxCreateError(f"a sandbox of {spec.image}: {error}") from error
        try:
            if spec.workdir is None:
                await _shared.begin_in_image_async(sandbox)
            (await sandbox.run("true", timeout=spec.ready_timeout_s, session=False)).check()
        except BaseException as error:
            await sandbox.close()
            if isinstance(error, TalariaError):
                raise SandboxCreateError(f"sandbox {sandbox.id}: {error}") from error
            raise
        return SandboxHandle(sandbox.id, self.name, sandbox)

    async def exec(
        self,
        handle: SandboxHandle,
        command: str,
        *,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_s: int | float | None = None,
        user: str | int | None = None,
    ) -> SandboxExecResult:
        """Runs a shell text. `error_type` says what else happened than the end of the command:
        `timeout` (with what was printed), `denied`, `sandbox` (the machinery failed)."""
        try:
            result = await _sandbox(handle).run(
                command,
                cwd=cwd,
                env=env,
                timeout=timeout_s if timeout_s is not None else self._default_timeout,
                user=user,
                session=False,
            )
        except Denied as error:
            return SandboxExecResult(None, str(error), REFUSED, "denied")
        except (InfrastructureError, NotFound) as error:
            return SandboxExecResult(None, str(error), NOT_RUN, "sandbox")
        kind = "timeout" if result.timed_out else None
        return SandboxExecResult(result.stdout, result.stderr, result.exit_code, kind)

    async def upload_file(self, handle: SandboxHandle, source_path: Path, target_path: str) -> None:
        await _sandbox(handle).files.upload(source_path, target_path)

    async def download_file(
        self, handle: SandboxHandle, source_path: str, target_path: Path
    ) -> None:
        await _sandbox(handle).files.download(source_path, target_path)

    async def status(self, handle: SandboxHandle) -> SandboxStatus:
        try:
            info = await _sandbox(handle).refresh()
        except NotFound:
            return SandboxStatus.STOPPED
        except TalariaError:
            return SandboxStatus.UNKNOWN
        return STATES.get(info.state, SandboxStatus.UNKNOWN)

    async def close(self, handle: SandboxHandle) -> None:
        """Removes the sandbox, with what runs in it. Again: does nothing."""
        await _sandbox(handle).close()

    async def aclose(self) -> None:
        """The client is shared by all providers of the event loop, so it stays."""


def _sandbox(handle: SandboxHandle) -> AsyncSandbox:
    sandbox: Any = handle.raw
    return sandbox


def _refuse_unsupported(spec: SandboxSpec, options: dict[str, Any]) -> None:
    """What cannot be given is an error, or a rollout would run elsewhere than it asked for."""
    if options:
        names = ", ".join(sorted(options))
        raise SandboxCreateError(
            f"provider_options: Talaria has no option {names}; it has 'target'"
        )
    if spec.resources.gpu:
        raise SandboxCreateError("resources.gpu: Talaria gives sandboxes no GPU")
    if spec.entrypoint:
        raise SandboxCreateError("entrypoint: Talaria starts sandboxes with a program of its own")
