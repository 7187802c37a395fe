"""The errors of this package. Every error is a `TalariaError`.

TalariaError
  InfrastructureError     the machinery failed, not the command
    Unavailable           the target cannot be reached; nothing was started
    RunnerLost            the runner at the target is gone; the command may have run
    ConnectionLost        the program or the gateway is gone; the command may have run
    DeadlinePassed        the target did not answer in time
  CommandError            a command ended badly (`check()` and `check=True` raise it)
    CommandFailed         with an exit code other than 0
    CommandTimeout        at its timeout; `result` has what it printed
  Denied                  policy or a person refused
    ApprovalPending       a person has to approve it first
  NotFound                there is no such process, sandbox, file, tool
  BadRequest              the call is invalid; the same call fails again
  LimitReached            a limit was reached; the message names it
  Interrupted             the call was cancelled
  ToolError               a tool reported an error in its result
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .types import Result


class TalariaError(Exception):
    """The base of every error of this package.

    `kind` is the protocol's word for it, `reason` a more precise one if there is any.
    """

    kind: str = "system"
    reason: str | None = None

    def __init__(self, message: str = "", *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason

    @property
    def message(self) -> str:
        """What failed, why, and what to do."""
        return str(self.args[0]) if self.args else ""


class InfrastructureError(TalariaError):
    """The machinery failed, not the command."""


class Unavailable(InfrastructureError):
    """The target cannot be reached. Nothing was started."""

    kind = "unavailable"


class RunnerLost(InfrastructureError):
    """The runner at the target is gone. The command may have run."""

    kind = "runner_lost"


class ConnectionLost(InfrastructureError):
    """The local program or the gateway is gone. A call under way may have run.

    The next call connects again. Sessions and background processes are still there.
    """

    kind = "connection_lost"


class DeadlinePassed(InfrastructureError):
    """The target did not answer in time."""

    kind = "timed_out"


class CommandError(TalariaError):
    """A command ended badly. `result` has what it printed."""

    kind = "command"

    def __init__(self, message: str = "", result: Result | None = None) -> None:
        super().__init__(message)
        self.args = (message, result)
        self._result = result

    @property
    def result(self) -> Result:
        """The result of the command."""
        assert self._result is not None
        return self._result

    def __str__(self) -> str:
        return self.message


class CommandFailed(CommandError):
    """A command ended with an exit code other than 0."""


class CommandTimeout(CommandError):
    """A command was ended at its timeout."""


class Denied(TalariaError):
    """Policy or a person refused. Nothing was started."""

    kind = "denied"
    by: str | None = None
    """Who refused: `hardline`, `configuration`, `person`, `program` or `nobody`."""
    rule: str | None = None
    """The most important rule that applies."""
    rules: tuple[str, ...] = ()
    """All rules that apply."""
    description: str = ""
    """What is dangerous about it."""
    approval_id: str | None = None
    """The question that was asked, for `approvals.approve`."""
    words: str | None = None
    """What the person who denied wrote."""


class ApprovalPending(Denied):
    """A person has to approve the command first. Nothing was started.

    After `approvals.approve(error.approval_id)` the same call runs once.
    """


class NotFound(TalariaError):
    """There is no such process, sandbox, file, tool or approval."""

    kind = "not_found"


class BadRequest(TalariaError):
    """The call is invalid. The same call fails again."""

    kind = "bad_request"


class LimitReached(TalariaError):
    """A limit was reached. The message names it."""

    kind = "limit"


class Interrupted(TalariaError):
    """The call was cancelled."""

    kind = "interrupted"


class ToolError(TalariaError):
    """A tool reported an error. `result` has all that it reported."""

    kind = "tool"

    def __init__(self, message: str = "", result: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.args = (message, result)
        self.result: Mapping[str, Any] = result or {}

    def __str__(self) -> str:
        return self.message


_KINDS: dict[str, Callable[[str], TalariaError]] = {
    "bad_request": BadRequest,
    "not_found": NotFound,
    "denied": Denied,
    "timed_out": DeadlinePassed,
    "interrupted": Interrupted,
    "unavailable": Unavailable,
    "runner_lost": RunnerLost,
    "limit": LimitReached,
}


def from_wire(error: Mapping[str, Any]) -> TalariaError:
    """The error for the member `error` of an answer."""
    kind = str(error.get("kind", "system"))
    message = str(error.get("message", kind))
    reason = error.get("reason")
    if kind == "denied" and reason == "pending":
        result: TalariaError = ApprovalPending(message)
    else:
        result = _KINDS.get(kind, InfrastructureError)(message)
    result.kind = kind
    result.reason = str(reason) if reason is not None else None
    denial = error.get("denial")
    if isinstance(result, Denied) and isinstance(denial, dict):
        _describe(result, cast("dict[str, Any]", denial))
    return result


def _describe(error: Denied, denial: Mapping[str, Any]) -> None:
    error.by = denial.get("by")
    error.rule = denial.get("rule")
    error.rules = tuple(denial.get("rules") or ())
    error.description = denial.get("description") or ""
    error.approval_id = denial.get("approval")
    error.words = denial.get("words")
