# Generated from _async/place.py by tools/generate_sync.py. Change that one.
"""Where commands run: a session of a task, or a sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..questions import Verdict
from ..types import (
    CodeResult,
    Command,
    Data,
    Json,
    Lifetime,
    ProcessInfo,
    Result,
    SandboxInfo,
    TerminalSize,
    Time,
)
from .files import Files
from .process import Process
from .stream import Stream
from .tools import Toolbox, Tools

if TYPE_CHECKING:
    from .runtime import Channel


_ONE_LINE = 4 * 1024 * 1024  # of input, that a request has with it
_PIECE = 512 * 1024


class Place:
    """A session at a target: directory, variables, functions and options stay from one command to
    the next. What a client, a task and a sandbox have in common."""

    def __init__(
        self,
        channel: Channel,
        toolbox: Toolbox,
        where: Mapping[str, str],
        session_key: str | None,
    ) -> None:
        self._channel = channel
        self._toolbox = toolbox
        self._where = dict(where)
        self._session_key = session_key
        self._env: Mapping[str, str] = {}
        self.files = Files(channel, self._where, session_key)
        """Files there."""

    def run(
        self,
        command: Command,
        *,
        timeout: Time | None = None,
        stdin: Data | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        user: str | int | None = None,
        home: str | None = None,
        merge: bool = False,
        raw: bool = False,
        check: bool = False,
        session: bool = True,
        max_output: int | None = None,
        wait_approval: bool | None = None,
        call_id: str | None = None,
    ) -> Result:
        """Runs a command and waits for its end.

        `command` is a shell text, or a list of arguments that reach the program unchanged.
        `timeout` ends it with everything it started; the result then has `timed_out`. A command
        that fails is a result, too, unless `check`. Interrupting the call (Ctrl-C)
        ends the command first.

        `env`, `cwd`, `user` and `home` are of this command only. `merge` puts standard error into
        `stdout`, in order. `raw` keeps the bytes (`stdout_raw`). `session=False` changes nothing in
        the session. `max_output` limits what is kept of each stream, its beginning and its end.
        `wait_approval=False` raises `ApprovalPending` instead of waiting for a person.
        """
        params = self._exec(
            command, timeout, env, cwd, user, home, merge, raw, session, wait_approval
        )
        large = stdin is not None and len(stdin) > _ONE_LINE
        if stdin is not None and not large:
            _set_data(params, "stdin", stdin)
        if max_output is not None:
            params["max_output"] = max_output
        if call_id is not None:
            params["call_id"] = call_id
        if large and stdin is not None:
            answer = self._feed(params, stdin)
        else:
            answer = self._channel.tool({"method": "exec", "params": params})
        result = Result.from_wire(answer, command)
        return result.check() if check else result

    def stream(
        self,
        command: Command,
        *,
        timeout: Time | None = None,
        stdin: Data | bool | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        user: str | int | None = None,
        home: str | None = None,
        merge: bool = False,
        raw: bool = False,
        session: bool = True,
        window: int | None = None,
        wait_approval: bool | None = None,
    ) -> Stream:
        """Runs a command and yields its output as it comes. The parameters are those of `run`.

        `stdin=True` keeps the input open for `Stream.write`. At most `window` bytes wait for
        the consumer; then the command is held up.
        """
        params = self._exec(
            command, timeout, env, cwd, user, home, merge, raw, session, wait_approval
        )
        params["stream"] = True
        if stdin is True:
            params["stdin_open"] = True
        elif stdin:
            _set_data(params, "stdin", stdin)
        if window is not None:
            params["window"] = window
        return Stream(self._channel.open("exec", params), command, window)

    def start(
        self,
        command: Command,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        stdin: bool = False,
        terminal: TerminalSize | tuple[int, int] | bool = False,
        lifetime: Lifetime | None = None,
        notify: bool = False,
        watch: Sequence[str] = (),
        max_age: Time | None = None,
    ) -> Process:
        """Starts a command in the background.

        `terminal` gives it one: `True` (30 rows, 120 columns) or (rows, cols). `notify` makes an
        event of its end, `watch` of lines with one of these texts. `lifetime` is when it is ended
        at the latest: `call`, `session` (with its task or sandbox) or `keep` (never).
        """
        size = (30, 120) if terminal is True else terminal or None
        if isinstance(size, TerminalSize):
            size = (size.rows, size.cols)
        answer = self._channel.call(
            "processes.start",
            {
                **self._where,
                **_command(command),
                "env": {**self._env, **(env or {})} or None,
                "cwd": cwd,
                "stdin": stdin or None,
                "terminal": {"rows": size[0], "cols": size[1]} if size else None,
                "lifetime": lifetime,
                "notify": notify or None,
                "watch": list(watch) or None,
                "max_age": max_age,
                "session_key": self._session_key,
            },
        )
        return Process(self._channel, ProcessInfo.from_wire(answer["process"]))

    def processes(self, *, all: bool = False) -> list[Process]:
        """Background processes of this place; `all` adds those that have ended."""
        answer = self._channel.call("processes.list", {**self._where, "all": all or None})
        return [
            Process(self._channel, ProcessInfo.from_wire(one)) for one in answer["processes"]
        ]

    def kill_all(self) -> int:
        """Ends the background processes of this place. Returns how many ran."""
        return (self._channel.call("processes.kill_all", self._where))["killed"]

    def code(
        self,
        script: str,
        *,
        tools: Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]] = (),
        builtin: Sequence[str] | None = None,
    ) -> CodeResult:
        """Runs a Python script at the target; only what it prints comes back.

        The script calls tools with `from hermes_tools import terminal, read_file, ...`; `builtin`
        limits which. `tools` are functions of yours that the script may call, too: they run here.
        """
        return self._toolbox.code(self._where, self._session_key, script, tools, builtin)

    def tools(
        self,
        *,
        only: Sequence[str] | None = None,
        functions: Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]] = (),
    ) -> Tools:
        """The tools for a model, with schemas and a dispatcher. `functions` are tools of yours."""
        return self._toolbox.tools(self._where, self._session_key, only, functions)

    def tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        tools: Sequence[str] | None = None,
        call_id: str | None = None,
        turn: str | None = None,
    ) -> Json:
        """Calls a tool and returns its result as it is, also one with an `error`
        (docs/reference/tools.md). `tools` limits what a script may call, `call_id` is the agent's
        own id of the call, and calls of the same `turn` share a limit of their results."""
        return self._toolbox.call(
            self._where,
            self._session_key,
            name,
            dict(arguments or {}),
            call_id=call_id,
            turn=turn,
            builtin=tools,
        )

    def judge(
        self,
        command: Command,
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> Verdict:
        """Whether the command may run here, without running it or asking anybody."""
        params = {**self._where, **_command(command), "cwd": cwd, "env": env, "stdin": stdin}
        answer = self._channel.call("approvals.judge", params)
        return Verdict(
            verdict=answer["verdict"],
            rule=answer.get("rule"),
            rules=tuple(answer.get("rules") or ()),
            description=answer.get("description") or "",
            offers=answer.get("offers"),
        )

    def cwd(self) -> str:
        """The directory of the session."""
        return (self._channel.call("sessions.get", self._where))["cwd"]

    def set_cwd(self, path: str) -> str:
        """Changes the directory of the session, and returns it."""
        return (self._channel.call("sessions.set_cwd", {**self._where, "cwd": path}))["cwd"]

    def end_session(self) -> None:
        """Forgets directory, variables and functions. Background processes stay."""
        self._channel.call("sessions.end", self._where)

    def forget_reads(self) -> None:
        """The model's context was shortened: `read_file` shows again what it has shown."""
        self._channel.call("reads.forget", self._where)

    def _feed(self, params: Json, stdin: Data) -> Json:
        """Runs a command whose input is too large for one line."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        call = self._channel.open("exec", {**params, "stdin_open": True})
        try:
            for at in range(0, len(data), _PIECE):
                end = at + _PIECE >= len(data)
                if not call.write(data[at : at + _PIECE], end=end):
                    break
        except BaseException:
            call.stop()
            raise
        return call.answer()

    def _exec(
        self,
        command: Command,
        timeout: Time | None,
        env: Mapping[str, str] | None,
        cwd: str | None,
        user: str | int | None,
        home: str | None,
        merge: bool,
        raw: bool,
        session: bool,
        wait_approval: bool | None,
    ) -> Json:
        params: Json = {**self._where}
        if isinstance(command, str):
            params["command"] = command
        else:
            params["argv"] = list(command)
        if timeout is not None:
            params["timeout"] = timeout
        if env or self._env:
            params["env"] = {**self._env, **(env or {})}
        if cwd is not None:
            params["cwd"] = cwd
        if user is not None:
            params["user"] = user
        if home is not None:
            params["home"] = home
        if merge:
            params["merge"] = True
        if raw:
            params["encoding"] = "base64"
        if not session:
            params["session"] = False
        if wait_approval is not None:
            params["wait_approval"] = wait_approval
        if self._session_key is not None:
            params["session_key"] = self._session_key
        return params


class Task(Place):
    """A session at the configured target, by the name of its task. Programs that use the same name
    share it."""

    @property
    def name(self) -> str:
        return self._where["task"]

    def close(self) -> None:
        """Ends the session and the background processes of the task."""
        self.kill_all()
        self.end_session()

    def __enter__(self) -> Task:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Sandbox(Place):
    """A sandbox: a place of its own, which is removed by `close()`, at its `ttl`, or with its
    client."""

    def __init__(
        self,
        channel: Channel,
        toolbox: Toolbox,
        session_key: str | None,
        info: SandboxInfo,
        env: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(channel, toolbox, {"sandbox": info.id}, session_key)
        self._info = info
        self._env = dict(env or {})

    @property
    def id(self) -> str:
        """`sbx_...`: `Talaria.find_sandbox` finds it again."""
        return self._info.id

    @property
    def info(self) -> SandboxInfo:
        """What was known when it was last asked. `refresh()` asks."""
        return self._info

    def refresh(self) -> SandboxInfo:
        """Asks how it is. Raises NotFound if it is gone."""
        answer = self._channel.call("sandboxes.get", self._where)
        self._info = SandboxInfo.from_wire(answer["sandbox"])
        return self._info

    def close(self, *, snapshot: bool | None = None) -> bool:
        """Removes it, with everything that runs in it. Again, or after its client was closed: does
        nothing, returns False."""
        if self._channel.connection.closed:
            return False
        answer = self._channel.call(
            "sandboxes.remove", {"sandbox": self.id, "snapshot": snapshot}
        )
        self._channel.connection.leftovers.pop(self.id, None)
        return bool(answer.get("removed"))

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} at {self._info.target}>"


def _command(command: Command) -> Json:
    return {"command": command} if isinstance(command, str) else {"argv": list(command)}


def _set_data(params: Json, name: str, data: Data) -> None:
    if isinstance(data, str):
        params[name] = data
    else:
        import base64

        params[name + "64"] = base64.b64encode(data).decode("ascii")
