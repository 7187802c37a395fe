"""The log of the package. The standard library's is loaded when there is something to log: most
programs that import this package never do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging


def debug(message: str, *arguments: object) -> None:
    """For those who look for a fault."""
    _logger().debug(message, *arguments)


def warning(message: str, *arguments: object) -> None:
    """Something was left undone."""
    _logger().warning(message, *arguments)


def exception(message: str, *arguments: object) -> None:
    """Somebody's function failed; with the exception that is being handled."""
    _logger().exception(message, *arguments)


def _logger() -> logging.Logger:
    import logging

    return logging.getLogger("talaria")
