"""Over `tools.environments.base`: the base class, where Hermes is not installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class BaseEnvironment(ABC):
    """What an environment has to do."""

    @abstractmethod
    def execute(self, command: str, cwd: str = "", **options: Any) -> dict[str, Any]: ...

    @abstractmethod
    def cleanup(self) -> None: ...


def set_activity_callback(callback: Callable[[str], None] | None) -> None:
    """Talaria reports no activity: it has no watchdog that would need it."""


def names(module: str) -> list[str]:
    """What is laid over the module: nothing where Hermes has it."""
    try:
        import hermes_constants  # noqa: F401
    except ImportError:
        return ["BaseEnvironment", "set_activity_callback"]
    return []
