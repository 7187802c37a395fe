"""The OpenHands SDK (`openhands-sdk`) with Talaria.

`TalariaWorkspace` is a workspace whose commands and files are in a sandbox. `TalariaTerminal` is a
tool for its agents that runs commands there.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Self

from openhands.sdk.git.exceptions import GitCommandError, GitPathError, GitRepositoryError
from openhands.sdk.git.models import GitChange, GitChangeStatus, GitDiff
from openhands.sdk.tool import Action, Observation, ToolDefinition, ToolExecutor
from openhands.sdk.workspace import BaseWorkspace, CommandResult, FileOperationResult
from pydantic import Field, PrivateAttr

from talaria import Talaria
from talaria.errors import Denied, NotFound, TalariaError
from talaria.integrations._shared import shared

if TYPE_CHECKING:
    from talaria import Sandbox

REFUSED = 126
TIMED_OUT = -1  # what the SDK's own workspaces return at the timeout
MAX_OUTPUT = 8 * 1024 * 1024
MAX_DIFF = 1024 * 1024  # bytes of a file that is compared, as the SDK's own limit
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


class TalariaWorkspace(BaseWorkspace):
    """A workspace in a sandbox, which is made at the first use and removed with the workspace.

        with TalariaWorkspace(working_dir="/workspace", target="docker", image="debian:12") as w:
            w.execute_command("make test", timeout=600)

    A command that policy refuses has the exit code 126; why is in `stderr`.
    """

    target: str | None = Field(
        default=None, description="Where the sandbox is; None: as configured"
    )
    image: str | None = None
    cpus: float | None = None
    memory: str | int | None = None
    ttl: float | str | None = None
    sandbox_id: str | None = Field(default=None, description="An existing sandbox to use; it stays")

    _talaria: Talaria | None = PrivateAttr(default=None)
    _sandbox: Any = PrivateAttr(default=None)

    def use(self, talaria: Talaria) -> Self:
        """Makes the sandbox with this client (a gateway, for example). Returns the workspace."""
        self._talaria = talaria
        return self

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox behind it."""
        if self._sandbox is None:
            client = self._talaria if self._talaria is not None else shared()
            if self.sandbox_id is not None:
                self._sandbox = client.find_sandbox(self.sandbox_id)
            else:
                self._sandbox = client.sandbox(
                    target=self.target,
                    image=self.image,
                    cpus=self.cpus,
                    memory=self.memory,
                    ttl=self.ttl,
                )
            self._sandbox.files.make_dir(self.working_dir)
        return self._sandbox

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        self._send_completion_callback(exc_type, exc_val)
        self.close()

    def close(self) -> None:
        """Removes the sandbox, unless it was there before."""
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None and self.sandbox_id is None:
            sandbox.close()

    def execute_command(
        self, command: str, cwd: str | Path | None = None, timeout: float = 30.0
    ) -> CommandResult:
        directory = self._path(cwd) if cwd is not None else self.working_dir
        try:
            result = self.sandbox.run(
                command, cwd=directory, timeout=timeout, session=False, max_output=MAX_OUTPUT
            )
        except Denied as error:
            return CommandResult(
                command=command,
                exit_code=REFUSED,
                stdout="",
                stderr=error.message,
                timeout_occurred=False,
            )
        return CommandResult(
            command=command,
            exit_code=TIMED_OUT if result.timed_out else result.exit_code,
            stdout=result.stdout,
            stderr=result.stderr,
            timeout_occurred=result.timed_out,
        )

    def file_upload(
        self, source_path: str | Path, destination_path: str | Path
    ) -> FileOperationResult:
        return self._copy(source_path, destination_path, upload=True)

    def file_download(
        self, source_path: str | Path, destination_path: str | Path
    ) -> FileOperationResult:
        return self._copy(source_path, destination_path, upload=False)

    def git_changes(self, path: str | Path) -> list[GitChange]:
        directory = self._path(path)
        base = self._base(directory)
        named = self._git(
            directory, "diff", "--name-status", "--no-renames", "--relative", "-z", base
        )
        changes = list(_changes(named.split("\0")))
        others = self._git(directory, "ls-files", "--others", "--exclude-standard", "-z")
        changes += [_change("A", name) for name in others.split("\0") if name]
        return changes

    def git_diff(self, path: str | Path) -> GitDiff:
        file = PurePosixPath(self._path(path))
        directory = str(file.parent)
        base = self._base(directory)
        try:
            size = self.sandbox.files.stat(str(file)).size
        except NotFound:
            size = None
        if size is not None and size > MAX_DIFF:
            raise GitPathError(f"{file} has {size} bytes; at most {MAX_DIFF} can be compared")
        shown = self._run_git(directory, "show", f"{base}:./{file.name}")
        if shown.exit_code != 0 and size is None:
            raise GitPathError(f"{file} is neither in the directory nor at {base}")
        modified = "" if size is None else self._text(str(file))
        original = shown.stdout if shown.exit_code == 0 else ""
        return GitDiff(modified=_lines(modified), original=_lines(original))

    def pause(self) -> None:
        """Does nothing: an idle sandbox of Talaria uses no processor time."""

    def resume(self) -> None:
        """Does nothing."""

    def _path(self, path: str | Path) -> str:
        return str(PurePosixPath(self.working_dir) / PurePosixPath(path))

    def _text(self, path: str) -> str:
        return self.sandbox.files.read(path).decode("utf-8", "replace")

    def _copy(
        self, source: str | Path, destination: str | Path, *, upload: bool
    ) -> FileOperationResult:
        size: int | None = None
        failure: str | None = None
        try:
            if upload:
                size = self.sandbox.files.upload(source, self._path(destination)).bytes
            else:
                size = self.sandbox.files.download(self._path(source), destination).bytes
        except (TalariaError, OSError) as error:
            failure = str(error)
        return FileOperationResult(
            success=failure is None,
            source_path=str(source),
            destination_path=str(destination),
            file_size=size,
            error=failure,
        )

    def _run_git(self, directory: str, *arguments: str) -> Any:
        argv = ["git", "--no-pager", "-C", directory, *arguments]
        return self.sandbox.run(argv, session=False, timeout=60, max_output=MAX_OUTPUT)

    def _git(self, directory: str, *arguments: str) -> str:
        result = self._run_git(directory, *arguments)
        if result.exit_code != 0:
            argv = ["git", *arguments]
            raise GitCommandError(
                message=f"Git command failed: {shlex.join(argv)}",
                command=argv,
                exit_code=result.exit_code,
                stderr=result.stderr.strip(),
            )
        return result.stdout

    def _base(self, directory: str) -> str:
        """What is compared with: where the branch left its upstream, or else the last commit."""
        if self._run_git(directory, "rev-parse", "--git-dir").exit_code != 0:
            raise GitRepositoryError(f"{directory} is not in a git repository")
        for upstream in ("@{upstream}", "origin/HEAD"):
            base = self._run_git(directory, "merge-base", "HEAD", upstream)
            if base.exit_code == 0:
                return base.stdout.strip()
        head = self._run_git(directory, "rev-parse", "--verify", "HEAD")
        return head.stdout.strip() if head.exit_code == 0 else EMPTY_TREE


STATUS = {
    "A": GitChangeStatus.ADDED,
    "D": GitChangeStatus.DELETED,
}


def _change(status: str, name: str) -> GitChange:
    return GitChange(status=STATUS.get(status, GitChangeStatus.UPDATED), path=Path(name))


def _changes(fields: list[str]) -> list[GitChange]:
    """The output of `git diff --name-status -z`: status and name, in turns."""
    return [_change(fields[at], fields[at + 1]) for at in range(0, len(fields) - 1, 2)]


def _lines(text: str) -> str:
    return "\n".join(text.splitlines())


class TerminalAction(Action):
    """Run a command in the workspace."""

    command: str = Field(description="The shell command to run")
    timeout: float = Field(default=120.0, description="Seconds until the command is ended")


class TerminalObservation(Observation):
    """What a command printed, and how it ended."""

    exit_code: int = 0


class _Executor(ToolExecutor[TerminalAction, TerminalObservation]):
    def __init__(self, workspace: TalariaWorkspace) -> None:
        self._workspace = workspace

    def __call__(self, action: TerminalAction, conversation: Any = None) -> TerminalObservation:
        result = self._workspace.execute_command(action.command, timeout=action.timeout)
        text = result.stdout + result.stderr
        if result.timeout_occurred:
            text += f"\n[Command timed out after {action.timeout}s]"
        return TerminalObservation.from_text(
            text=f"{text}\n[exit code {result.exit_code}]",
            is_error=result.exit_code != 0,
            exit_code=result.exit_code,
        )


class TalariaTerminal(ToolDefinition[TerminalAction, TerminalObservation]):
    """The tool: `register_tool("terminal", TalariaTerminal.of(workspace))`, then
    `Agent(llm=..., tools=[Tool(name="terminal")])`."""

    @classmethod
    def create(cls, conv_state: Any = None, **params: Any) -> Sequence[Self]:
        return [cls.of(TalariaWorkspace(**params))]

    @classmethod
    def of(cls, workspace: TalariaWorkspace) -> Self:
        """The tool for a workspace."""
        return cls(
            action_type=TerminalAction,
            observation_type=TerminalObservation,
            description="Runs a shell command in the workspace and returns what it prints.",
            executor=_Executor(workspace),
        )
