"""What is asked of people and what happens beside calls: approvals, passwords, events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .types import Json, Scope, Time


@dataclass(frozen=True)
class Approval:
    """A question: may this command run?"""

    id: str
    command: str
    description: str = ""
    """Why it needs approval."""
    rule: str = ""
    rules: tuple[str, ...] = ()
    session_key: str = ""
    task: str = ""
    target: str = ""
    cwd: str = ""
    allow_always: bool = False
    state: str = "open"
    """`open`, `answered`, `expired` or `used`."""
    choice: str | None = None
    created: float | None = None
    expires: float | None = None
    raw: Json = field(default_factory=dict[str, Any], repr=False)

    @classmethod
    def from_wire(cls, value: Json) -> Approval:
        """The question for an approval of the protocol."""
        return cls(
            id=value["id"],
            command=value.get("command") or "",
            description=value.get("description") or "",
            rule=value.get("pattern_key") or "",
            rules=tuple(value.get("pattern_keys") or ()),
            session_key=value.get("session_key") or "",
            task=value.get("task") or "",
            target=value.get("target") or "",
            cwd=value.get("cwd") or "",
            allow_always=bool(value.get("allow_permanent")),
            state=value.get("state") or "open",
            choice=value.get("choice"),
            created=value.get("created"),
            expires=value.get("expires"),
            raw=value,
        )


@dataclass(frozen=True)
class Approve:
    """An answer of a handler: yes."""

    scope: Scope = "once"
    covers: str | None = None
    for_: Time | None = None


@dataclass(frozen=True)
class Deny:
    """An answer of a handler: no. The model gets `words`."""

    words: str | None = None


Answer = Approve | Deny | bool | None
"""What a handler returns. `True` approves once; `False` and `None` deny."""


@dataclass(frozen=True)
class Verdict:
    """How a command is judged, without running it."""

    verdict: str
    """`allowed`, `ask` or `denied`."""
    rule: str | None = None
    rules: tuple[str, ...] = ()
    description: str = ""
    offers: Any = None

    @property
    def allowed(self) -> bool:
        return self.verdict == "allowed"


@dataclass(frozen=True)
class SudoRequest:
    """A command asks for the password of sudo."""

    id: str
    command: str
    task: str = ""
    session_key: str = ""
    target: str = ""
    timeout: float | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened at a target: a process ended, a line matched, a target was lost."""

    type: str
    id: int | None = None
    text: str = ""
    """The event as a text for a model."""
    process: str | None = None
    """The process that it is about, `proc_...`."""
    session_key: str = ""
    task: str = ""
    command: str = ""
    target: str = ""
    time: float = 0.0
    exit_code: int | None = None
    output: str = ""
    raw: Json = field(default_factory=dict[str, Any], repr=False)

    @classmethod
    def from_wire(cls, value: Json) -> Event:
        """The event for one of the protocol."""
        return cls(
            type=value.get("type") or "",
            id=value.get("id"),
            text=value.get("text") or value.get("message") or "",
            process=value.get("session_id") or None,
            session_key=value.get("session_key") or "",
            task=value.get("task") or "",
            command=value.get("command") or "",
            target=value.get("target") or "",
            time=value.get("time") or 0.0,
            exit_code=value.get("exit_code"),
            output=value.get("output") or "",
            raw=value,
        )


@dataclass(frozen=True)
class Applied:
    """Which settings took effect, and which will later."""

    applied: tuple[str, ...]
    later: Mapping[str, str]
    """By name, why not at once."""
