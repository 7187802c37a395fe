"""The client that makes, finds and removes sandboxes for the SDK."""

from __future__ import annotations

import uuid
from typing import Literal

from agents.sandbox.manifest import Manifest
from agents.sandbox.session.dependencies import Dependencies
from agents.sandbox.session.manager import Instrumentation
from agents.sandbox.session.sandbox_client import BaseSandboxClient, BaseSandboxClientOptions
from agents.sandbox.session.sandbox_session import SandboxSession
from agents.sandbox.session.sandbox_session_state import SandboxSessionState
from agents.sandbox.snapshot import SnapshotBase, SnapshotSpec, resolve_snapshot

from talaria import AsyncSandbox, AsyncTalaria
from talaria.errors import NotFound
from talaria.integrations._shared import shared_async

from .session import TalariaSandboxSession, TalariaSandboxSessionState


class TalariaSandboxClientOptions(BaseSandboxClientOptions):
    """The sandbox to make. What is absent is as Talaria is configured."""

    type: Literal["talaria"] = "talaria"
    target: str | None = None
    image: str | None = None
    cpus: float | None = None
    memory: str | int | None = None
    ttl: float | str | None = None
    env: dict[str, str] | None = None
    exposed_ports: tuple[int, ...] = ()


class TalariaSandboxClient(BaseSandboxClient[TalariaSandboxClientOptions]):
    """Makes sandboxes with a client of Talaria: a local program, or a gateway.

    client = TalariaSandboxClient()                              # starts a local program
    client = TalariaSandboxClient(AsyncTalaria.connect(url, token))
    """

    backend_id = "talaria"
    supports_default_options = True

    def __init__(
        self,
        talaria: AsyncTalaria | None = None,
        *,
        instrumentation: Instrumentation | None = None,
        dependencies: Dependencies | None = None,
    ) -> None:
        self._talaria = talaria
        self._instrumentation = instrumentation or Instrumentation()
        self._dependencies = dependencies

    async def create(
        self,
        *,
        snapshot: SnapshotSpec | SnapshotBase | None = None,
        manifest: Manifest | None = None,
        options: TalariaSandboxClientOptions | None = None,
    ) -> SandboxSession:
        chosen = options if options is not None else TalariaSandboxClientOptions()
        workspace = manifest if manifest is not None else Manifest()
        self._validate_manifest_for_create(workspace)
        session_id = uuid.uuid4()
        state = TalariaSandboxSessionState(
            session_id=session_id,
            manifest=workspace,
            snapshot=resolve_snapshot(snapshot, str(session_id)),
            exposed_ports=chosen.exposed_ports,
            sandbox_id="",
            target=chosen.target,
            image=chosen.image,
            cpus=chosen.cpus,
            memory=chosen.memory,
            ttl=chosen.ttl,
            env=dict(chosen.env or {}),
        )
        return self._session(state, await self._make(state), found=False)

    async def resume(self, state: SandboxSessionState) -> SandboxSession:
        if not isinstance(state, TalariaSandboxSessionState):
            raise TypeError("TalariaSandboxClient.resume expects a TalariaSandboxSessionState")
        state.assert_path_grants_rebound()
        try:
            return self._session(
                state, await self._client().find_sandbox(state.sandbox_id), found=True
            )
        except NotFound:
            state.workspace_root_ready = False
            return self._session(state, await self._make(state), found=False)

    async def delete(self, session: SandboxSession) -> SandboxSession:
        inner = session._inner  # pyright: ignore[reportPrivateUsage]
        if not isinstance(inner, TalariaSandboxSession):
            raise TypeError("TalariaSandboxClient.delete expects a TalariaSandboxSession")
        await inner.sandbox.close()
        return session

    def deserialize_session_state(self, payload: dict[str, object]) -> SandboxSessionState:
        return self._deserialize_session_state_payload(payload, TalariaSandboxSessionState)

    def _client(self) -> AsyncTalaria:
        return self._talaria if self._talaria is not None else shared_async()

    async def _make(self, state: TalariaSandboxSessionState) -> AsyncSandbox:
        return await self._client().sandbox(
            target=state.target,
            image=state.image,
            cpus=state.cpus,
            memory=state.memory,
            ttl=state.ttl,
        )

    def _session(
        self, state: TalariaSandboxSessionState, sandbox: AsyncSandbox, *, found: bool
    ) -> SandboxSession:
        state.sandbox_id = sandbox.id
        inner = TalariaSandboxSession(state=state, sandbox=sandbox)
        inner._set_start_state_preserved(found)  # pyright: ignore[reportPrivateUsage]
        return self._wrap_session(inner, instrumentation=self._instrumentation)
