"""The provider of the backend `talaria`, where Hermes has providers of terminal environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.terminal_env_provider import TerminalEnvironmentProvider

from . import plugin


class TalariaProvider(TerminalEnvironmentProvider):
    """What Hermes asks about the backend, and how it makes environments."""

    name = plugin.NAME
    display_name = "Talaria"
    is_remote = True
    is_container = True
    session_isolated_when_nonpersistent = True

    @property
    def description(self) -> str:
        return "Run commands where Talaria runs them: here, in a container, on another host."

    @property
    def skip_container_guards(self) -> bool:
        """Only what cannot touch this machine runs without the questions of Hermes."""
        return plugin.configuration().get("target") in plugin.ISOLATED

    @property
    def strip_env_keys(self) -> frozenset[str]:
        return frozenset({"TALARIA_TOKEN"})

    def is_available(self) -> bool:
        return plugin.is_available()

    def setup_instructions(self) -> list[str]:
        return [
            "Set terminal.backends.talaria.target (docker, ssh, ...) and, for a container, image.",
            "docs/guide/integrations/hermes.md of Talaria lists the settings.",
        ]

    def get_config_schema(self) -> dict[str, dict[str, Any]]:
        return plugin.FIELDS

    def create_environment(
        self,
        *,
        cwd: str,
        timeout: int,
        task_id: str = "default",
        image: str | None = None,
        container_config: dict[str, Any] | None = None,
        backend_config: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        return plugin.create_environment(
            cwd=cwd,
            timeout=timeout,
            task_id=task_id,
            image=image,
            container_config=container_config,
            backend_config=backend_config,
        )
