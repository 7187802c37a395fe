"""Talaria: run the commands, scripts and file edits of an agent, here, in a container or elsewhere.

    from talaria import Talaria

    with Talaria() as t:
        print(t.run("uname -r").stdout)

Everything is loaded when it is first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ._async.approvals import AsyncApprovals as AsyncApprovals
    from ._async.client import AsyncEvents as AsyncEvents, AsyncTalaria as AsyncTalaria
    from ._async.files import AsyncFiles as AsyncFiles
    from ._async.place import (
        AsyncPlace as AsyncPlace,
        AsyncSandbox as AsyncSandbox,
        AsyncTask as AsyncTask,
    )
    from ._async.process import AsyncProcess as AsyncProcess
    from ._async.stream import AsyncOutput as AsyncOutput, AsyncStream as AsyncStream
    from ._async.tools import AsyncTools as AsyncTools
    from ._program import find_program as find_program
    from ._schema import ToolSchema as ToolSchema
    from ._sync.approvals import Approvals as Approvals
    from ._sync.client import Events as Events, Talaria as Talaria
    from ._sync.files import Files as Files
    from ._sync.place import Place as Place, Sandbox as Sandbox, Task as Task
    from ._sync.process import Process as Process
    from ._sync.stream import Output as Output, Stream as Stream
    from ._sync.tools import Tools as Tools
    from .errors import (
        ApprovalPending as ApprovalPending,
        BadRequest as BadRequest,
        CommandError as CommandError,
        CommandFailed as CommandFailed,
        CommandTimeout as CommandTimeout,
        ConnectionLost as ConnectionLost,
        DeadlinePassed as DeadlinePassed,
        Denied as Denied,
        InfrastructureError as InfrastructureError,
        Interrupted as Interrupted,
        LimitReached as LimitReached,
        NotFound as NotFound,
        RunnerLost as RunnerLost,
        TalariaError as TalariaError,
        ToolError as ToolError,
        Unavailable as Unavailable,
    )
    from .questions import (
        Applied as Applied,
        Approval as Approval,
        Approve as Approve,
        Deny as Deny,
        Event as Event,
        SudoRequest as SudoRequest,
        Verdict as Verdict,
    )
    from .types import (
        Chunk as Chunk,
        CodeResult as CodeResult,
        Cursor as Cursor,
        EditResult as EditResult,
        FileStat as FileStat,
        Match as Match,
        ProcessInfo as ProcessInfo,
        ProcessOutput as ProcessOutput,
        Result as Result,
        SandboxInfo as SandboxInfo,
        Screen as Screen,
        SearchResult as SearchResult,
        Survivor as Survivor,
        TerminalSize as TerminalSize,
        Transfer as Transfer,
    )

_PLACES = {
    "_async.approvals": "AsyncApprovals",
    "_async.client": "AsyncEvents AsyncTalaria",
    "_async.files": "AsyncFiles",
    "_async.place": "AsyncPlace AsyncSandbox AsyncTask",
    "_async.process": "AsyncProcess",
    "_async.stream": "AsyncOutput AsyncStream",
    "_async.tools": "AsyncTools",
    "_program": "find_program",
    "_schema": "ToolSchema",
    "_sync.approvals": "Approvals",
    "_sync.client": "Events Talaria",
    "_sync.files": "Files",
    "_sync.place": "Place Sandbox Task",
    "_sync.process": "Process",
    "_sync.stream": "Output Stream",
    "_sync.tools": "Tools",
    "errors": "ApprovalPending BadRequest CommandError CommandFailed CommandTimeout ConnectionLost "
    "DeadlinePassed Denied InfrastructureError Interrupted LimitReached NotFound RunnerLost "
    "TalariaError ToolError Unavailable",
    "questions": "Applied Approval Approve Deny Event SudoRequest Verdict",
    "types": "Chunk CodeResult Cursor EditResult FileStat Match ProcessInfo ProcessOutput Result "
    "SandboxInfo Screen SearchResult Survivor TerminalSize Transfer",
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names.split()}

__all__ = ["__version__", *_MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'talaria' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"talaria.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
