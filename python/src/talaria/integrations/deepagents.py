"""Deep Agents (`deepagents`, and its command line `deepagents-code`) with Talaria.

`TalariaBackend` is a backend for `create_deep_agent`. `TalariaProvider` is the provider `talaria`
of the command line: `dcode --sandbox talaria`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deepagents.backends.protocol import (
    ExecuteResponse,
    FileDownloadResponse,
    FileUploadResponse,
)
from deepagents.backends.sandbox import BaseSandbox

from talaria import Talaria
from talaria.errors import BadRequest, Denied, NotFound, TalariaError
from talaria.integrations._shared import shared

if TYPE_CHECKING:
    from deepagents_code.integrations.sandbox_provider import SandboxProviderMetadata

    from talaria import Sandbox

DEFAULT_TIMEOUT = 30 * 60  # seconds, as the other backends of Deep Agents
MAX_OUTPUT = 8 * 1024 * 1024  # bytes kept of one command; Deep Agents moves large outputs to files
REFUSED = 126


class TalariaBackend(BaseSandbox):
    """A sandbox of Talaria as a backend of an agent.

        agent = create_deep_agent(model, backend=TalariaBackend(sandbox))

    A command that policy refuses has the exit code 126, and the model reads why.
    """

    enable_capture_offload = True

    def __init__(self, sandbox: Sandbox, *, timeout: int = DEFAULT_TIMEOUT) -> None:
        self._sandbox = sandbox
        self._timeout = timeout

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox behind it."""
        return self._sandbox

    @property
    def id(self) -> str:
        return self._sandbox.id

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        limit = self._timeout if timeout is None else timeout
        try:
            result = self._sandbox.run(
                command, timeout=limit or None, merge=True, max_output=MAX_OUTPUT
            )
        except Denied as error:
            return ExecuteResponse(output=error.message, exit_code=REFUSED)
        output = result.stdout
        if result.timed_out:
            output += f"\n[Command timed out after {limit}s]"
        return ExecuteResponse(
            output=output, exit_code=result.exit_code, truncated=result.truncated
        )

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [
            FileUploadResponse(path=path, error=self._upload(path, data)) for path, data in files
        ]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [self._download(path) for path in paths]

    def _upload(self, path: str, data: bytes) -> str | None:
        if not path.startswith("/"):
            return "invalid_path"
        try:
            self._sandbox.files.write(path, data)
        except TalariaError as error:
            return _reason(error)
        return None

    def _download(self, path: str) -> FileDownloadResponse:
        if not path.startswith("/"):
            return FileDownloadResponse(path=path, error="invalid_path")
        try:
            if self._sandbox.files.stat(path).is_directory:
                return FileDownloadResponse(path=path, error="is_directory")
            return FileDownloadResponse(path=path, content=self._sandbox.files.read(path))
        except TalariaError as error:
            return FileDownloadResponse(path=path, error=_reason(error))


def _reason(error: TalariaError) -> str:
    """The word of Deep Agents for a failure, if it has one."""
    if isinstance(error, NotFound):
        return "file_not_found"
    if isinstance(error, Denied):
        return "permission_denied"
    if isinstance(error, BadRequest):
        return "invalid_path"
    return error.message


try:
    from deepagents_code.integrations.sandbox_provider import SandboxProvider
except ImportError:  # the command line is a package of its own
    SandboxProvider = object


class TalariaProvider(SandboxProvider):
    """Makes and removes sandboxes for `deepagents-code`.

    It takes the parameters of a sandbox (`target`, `image`, `cpus`, `memory`, `ttl`, `cwd`), for
    example from `[sandboxes.providers.talaria.params]` of its configuration.
    """

    def __init__(self, talaria: Talaria | None = None) -> None:
        self._talaria = talaria

    @property
    def metadata(self) -> SandboxProviderMetadata:
        from deepagents_code.integrations.sandbox_provider import (
            SandboxInstallHint,
            SandboxProviderMetadata,
        )

        return SandboxProviderMetadata(
            name="talaria",
            working_dir="/workspace",
            install=SandboxInstallHint(kind="package", name="talaria"),
        )

    def get_or_create(self, *, sandbox_id: str | None = None, **kwargs: Any) -> TalariaBackend:
        if sandbox_id is not None:
            return TalariaBackend(self._found(sandbox_id))
        return TalariaBackend(self._client().sandbox(**_options(kwargs)))

    def delete(self, *, sandbox_id: str, **kwargs: Any) -> None:
        with contextlib.suppress(NotFound):  # it is gone, and that is what was wanted
            self._client().find_sandbox(sandbox_id).close()

    async def aget_or_create(
        self, *, sandbox_id: str | None = None, **kwargs: Any
    ) -> TalariaBackend:
        return await asyncio.to_thread(self.get_or_create, sandbox_id=sandbox_id, **kwargs)

    async def adelete(self, *, sandbox_id: str, **kwargs: Any) -> None:
        await asyncio.to_thread(self.delete, sandbox_id=sandbox_id, **kwargs)

    def _client(self) -> Talaria:
        return self._talaria if self._talaria is not None else shared()

    def _found(self, sandbox_id: str) -> Sandbox:
        try:
            return self._client().find_sandbox(sandbox_id)
        except NotFound as error:
            from deepagents_code.integrations.sandbox_provider import SandboxNotFoundError

            raise SandboxNotFoundError(error.message) from error


PARAMETERS = ("target", "image", "cpus", "memory", "ttl", "idle", "cwd", "env", "name")


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(given) - set(PARAMETERS))
    if unknown:
        raise TypeError(
            f"unknown parameters of a sandbox: {', '.join(unknown)}; use {', '.join(PARAMETERS)}"
        )
    return dict(given)
