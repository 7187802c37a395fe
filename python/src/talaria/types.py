"""What calls return: results, chunks of output, facts about processes, files and approvals."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .errors import BadRequest, CommandFailed, CommandTimeout, Interrupted

Command = str | Sequence[str]
"""A shell text, or a list of arguments that reach the program unchanged."""
Time = float | int | str
"""Seconds, or a text with a unit such as `"2m"`."""
Data = str | bytes
Path = str | os.PathLike[str]
Json = dict[str, Any]
StreamName = Literal["stdout", "stderr", "output"]
Scope = Literal["once", "session", "always"]
Lifetime = Literal["call", "session", "keep"]

_UNITS = {"": 1, "k": 1 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}


def megabytes(size: int | str | None, name: str) -> int | None:
    """`"2g"`, `"512m"` or a number of megabytes as megabytes."""
    if size is None or isinstance(size, int):
        return size
    text = size.strip().lower().removesuffix("b").removesuffix("i")
    number, unit = (text[:-1], text[-1:]) if text[-1:] in _UNITS and text[-1:] else (text, "")
    try:
        value = float(number) * _UNITS[unit]
    except ValueError:
        raise BadRequest(f"{name}: {size!r} is not a size; write '512m' or '2g'") from None
    return max(1, round(value))


def bytes_of(value: Mapping[str, Any], name: str) -> bytes:
    """The member `name` of an answer as bytes, whether it came as text or as base64."""
    encoded = value.get(name + "64")
    if encoded is not None:
        return base64.b64decode(encoded)
    text: str = value.get(name) or ""
    return text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Survivor:
    """A process that could not be killed."""

    pid: int
    name: str
    reason: str


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it printed."""

    exit_code: int
    """The exit code; 124 at the timeout, 130 if cancelled, 128+N if signal N ended it."""
    stdout: str
    """What it printed; with `merge=True` standard error as well."""
    stderr: str
    timed_out: bool = False
    interrupted: bool = False
    duration: float = 0.0
    """Seconds."""
    cwd: str = ""
    """The directory of the session after the command."""
    target: str = ""
    transport: str | None = None
    truncated: bool = False
    """The middle of the output is missing; `full_output_path` may have all of it."""
    full_output_path: str | None = None
    stdout_bytes: int = 0
    """How much it printed, before anything was left out."""
    stderr_bytes: int = 0
    shell_exit_code: int | None = None
    oom_killed: bool = False
    notices: tuple[str, ...] = ()
    survivors: tuple[Survivor, ...] = ()
    command: Command = ""
    stdout_raw: bytes = field(default=b"", repr=False)
    """The bytes as they were printed, with `raw=True`."""
    stderr_raw: bytes = field(default=b"", repr=False)

    @property
    def ok(self) -> bool:
        """It ended by itself, with exit code 0."""
        return self.exit_code == 0 and not self.timed_out and not self.interrupted

    @property
    def output(self) -> str:
        """Standard output, then standard error. `merge=True` keeps their order."""
        return self.stdout + self.stderr

    def check(self) -> Result:
        """Returns this result, or raises `CommandTimeout`, `Interrupted` or `CommandFailed`."""
        if self.timed_out:
            seconds = f"{self.duration:.1f} s"
            raise CommandTimeout(f"{_shown(self.command)}: timed out after {seconds}", self)
        if self.interrupted:
            raise Interrupted(f"{_shown(self.command)}: cancelled")
        if self.exit_code != 0:
            last = self.output.strip().rpartition("\n")[2][:200]
            message = f"{_shown(self.command)}: exit code {self.exit_code}"
            raise CommandFailed(f"{message}: {last}" if last else message, self)
        return self

    @classmethod
    def from_wire(cls, value: Mapping[str, Any], command: Command) -> Result:
        """The result for the answer of `exec`."""
        if "stdout64" in value or "stderr64" in value or "output64" in value:
            merged = "output64" in value
            raw = bytes_of(value, "output" if merged else "stdout")
            raw_error = b"" if merged else bytes_of(value, "stderr")
            stdout, stderr = raw.decode("utf-8", "replace"), raw_error.decode("utf-8", "replace")
        else:
            raw = raw_error = b""
            output = value.get("output")
            stdout = (output if output is not None else value.get("stdout")) or ""
            stderr = value.get("stderr") or ""
        size = value.get("output_bytes")
        return cls(
            exit_code=value["exit_code"],
            stdout=stdout,
            stderr=stderr,
            timed_out=bool(value.get("timed_out")),
            interrupted=bool(value.get("interrupted")),
            duration=(value.get("duration_ms") or 0) / 1000,
            cwd=value.get("cwd") or "",
            target=value.get("target") or "",
            transport=value.get("transport"),
            truncated=bool(value.get("truncated")),
            full_output_path=value.get("full_output_path"),
            stdout_bytes=size if size is not None else value.get("stdout_bytes") or 0,
            stderr_bytes=value.get("stderr_bytes") or 0,
            shell_exit_code=value.get("shell_exit_code"),
            oom_killed=bool(value.get("oom_killed")),
            notices=tuple(value.get("notices") or ()),
            survivors=tuple(
                Survivor(one.get("pid", 0), one.get("name", ""), one.get("reason", ""))
                for one in value.get("survivors") or ()
            ),
            command=command,
            stdout_raw=raw,
            stderr_raw=raw_error,
        )


def _shown(command: Command) -> str:
    text = command if isinstance(command, str) else " ".join(command)
    return text if len(text) <= 100 else text[:97] + "..."


@dataclass(frozen=True)
class Chunk:
    """A piece of output, as it comes."""

    stream: StreamName
    data: str
    raw: bytes = field(default=b"", repr=False)
    """The same as bytes, with `raw=True`."""


@dataclass(frozen=True)
class TerminalSize:
    """The size of a terminal."""

    rows: int
    cols: int


@dataclass(frozen=True)
class ProcessInfo:
    """What is known about a background process."""

    id: str
    command: str = ""
    task: str = ""
    target: str = ""
    cwd: str = ""
    pid: int | None = None
    started: float = 0.0
    """Seconds since 1970."""
    finished: float | None = None
    running: bool = False
    end: str | None = None
    """`exited`, `killed` or `lost`, once it has ended."""
    exit_code: int | None = None
    source: str | None = None
    """What ended it, if it did not end by itself."""
    lifetime: str = "session"
    session_key: str | None = None
    takes_input: bool = False
    waiting_for_input: bool = False
    terminal: TerminalSize | None = None
    notify: bool = False
    watch: tuple[str, ...] = ()
    output_bytes: int = 0
    tail: str = ""
    """The end of its output, if it was asked for."""
    tail_from: int | None = None

    @classmethod
    def from_wire(cls, value: Mapping[str, Any]) -> ProcessInfo:
        """The facts for an INFO of the protocol."""
        known = {name: value[name] for name in _PROCESS_FIELDS if value.get(name) is not None}
        terminal = known.get("terminal")
        if terminal is not None:
            known["terminal"] = TerminalSize(terminal["rows"], terminal["cols"])
        if "watch" in known:
            known["watch"] = tuple(known["watch"])
        return cls(**known)


_PROCESS_FIELDS = tuple(ProcessInfo.__dataclass_fields__)


@dataclass(frozen=True)
class ProcessOutput:
    """A part of the output of a background process, by bytes."""

    data: str
    start: int
    """The position of the first byte."""
    next: int
    """The position after the last byte: where to continue."""
    raw: bytes = field(default=b"", repr=False)
    total: int = 0
    """Bytes printed so far."""
    eof: bool = False
    """There is no more, and there will be no more."""
    lost: int = 0
    """Bytes before `start` that are no longer kept."""


@dataclass(frozen=True)
class Cursor:
    """Where the cursor of a terminal is, counted from 0."""

    row: int
    col: int
    visible: bool = True


@dataclass(frozen=True)
class Screen:
    """What the terminal of a process shows."""

    lines: tuple[str, ...]
    rows: int
    cols: int
    cursor: Cursor
    title: str = ""

    @property
    def text(self) -> str:
        """The rows, separated by line feeds."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class FileStat:
    """What is known about a file."""

    path: str
    type: str
    """`file`, `directory`, `link` or `other`."""
    size: int = 0
    mode: int = 0
    modified: float = 0.0
    """Seconds since 1970."""
    link_to: str | None = None
    uid: int | None = None
    gid: int | None = None

    @property
    def is_file(self) -> bool:
        return self.type == "file"

    @property
    def is_directory(self) -> bool:
        return self.type == "directory"

    @classmethod
    def from_wire(cls, value: Mapping[str, Any]) -> FileStat:
        """The facts for an answer of `files.stat`, or an entry of `files.list`."""
        mode = value.get("mode") or 0
        return cls(
            path=value["path"],
            type=value.get("type") or "other",
            size=value.get("size") or 0,
            mode=int(mode, 8) if isinstance(mode, str) else mode,
            modified=value.get("modified") or 0.0,
            link_to=value.get("link_to"),
            uid=value.get("uid"),
            gid=value.get("gid"),
        )


@dataclass(frozen=True)
class EditResult:
    """What an edit or a patch changed."""

    diff: str
    modified: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    raw: Json = field(default_factory=dict[str, Any], repr=False)
    """The result of the tool."""

    @classmethod
    def from_wire(cls, value: Json) -> EditResult:
        """The changes for a result of the tool `patch`."""
        return cls(
            diff=value.get("diff") or "",
            modified=tuple(value.get("files_modified") or ()),
            created=tuple(value.get("files_created") or ()),
            deleted=tuple(value.get("files_deleted") or ()),
            raw=value,
        )


@dataclass(frozen=True)
class Match:
    """A line that a search found."""

    path: str
    line: int
    text: str
    context: bool = False
    """It is near a match, not one itself."""


@dataclass(frozen=True)
class SearchResult:
    """What a search found."""

    total: int
    matches: tuple[Match, ...] = ()
    files: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    truncated: bool = False
    raw: Json = field(default_factory=dict[str, Any], repr=False)

    @classmethod
    def from_wire(cls, value: Json) -> SearchResult:
        """What was found, for a result of the tool `search_files`."""
        return cls(
            total=value.get("total_count") or 0,
            matches=tuple(
                Match(one["path"], one["line"], one["content"], bool(one.get("context")))
                for one in value.get("matches") or ()
            ),
            files=tuple(value.get("files") or ()),
            counts=dict(value.get("counts") or {}),
            truncated=bool(value.get("truncated")),
            raw=value,
        )


@dataclass(frozen=True)
class Transfer:
    """What an upload or a download moved."""

    bytes: int
    files: int | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class CodeResult:
    """How a script ended, and what it printed."""

    status: str
    """`success`, `error`, `timeout` or `interrupted`."""
    output: str
    error: str | None = None
    tool_calls: int = 0
    duration: float = 0.0
    notices: tuple[str, ...] = ()
    raw: Json = field(default_factory=dict[str, Any], repr=False)

    @property
    def ok(self) -> bool:
        """The script ended with exit code 0."""
        return self.status == "success"

    @classmethod
    def from_wire(cls, value: Json) -> CodeResult:
        """The result for one of the tool `execute_code`."""
        return cls(
            status=value.get("status") or ("error" if value.get("error") else "success"),
            output=value.get("output") or "",
            error=value.get("error"),
            tool_calls=value.get("tool_calls_made") or 0,
            duration=value.get("duration_seconds") or 0.0,
            notices=tuple(value.get("notices") or ()),
            raw=value,
        )


@dataclass(frozen=True)
class SandboxInfo:
    """What is known about a sandbox."""

    id: str
    target: str = ""
    image: str | None = None
    isolated: bool = False
    cwd: str = ""
    state: str = ""
    created: float = 0.0
    ttl: float | None = None
    idle: float | None = None
    limits: Mapping[str, Any] = field(default_factory=dict[str, Any])
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    name: str | None = None

    @classmethod
    def from_wire(cls, value: Mapping[str, Any]) -> SandboxInfo:
        """The facts for an SB of the protocol."""
        return cls(**{n: value[n] for n in _SANDBOX_FIELDS if value.get(n) is not None})


_SANDBOX_FIELDS = tuple(SandboxInfo.__dataclass_fields__)
