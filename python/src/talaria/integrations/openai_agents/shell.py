"""The executor of the SDK's `ShellTool`."""

from __future__ import annotations

from typing import Any

from agents.tool import ShellCallOutcome, ShellCommandOutput, ShellCommandRequest, ShellResult

from talaria.errors import Denied
from talaria.integrations._shared import shared_async


class TalariaShell:
    """Runs the commands of a shell call, one after another, in one session.

        tool = ShellTool(executor=TalariaShell(sandbox))

    `place` is a sandbox, a task or a client of `AsyncTalaria`; without it the commands run where
    Talaria is configured to run them. A command that policy refuses has the exit code 126, and the
    model reads why. After a timeout the commands that are left do not run.
    """

    def __init__(self, place: Any = None, *, timeout: float | None = None) -> None:
        self._place = place
        self._timeout = timeout

    async def __call__(self, request: ShellCommandRequest) -> ShellResult:
        if self._place is None:
            self._place = shared_async()
        action = request.data.action
        timeout = action.timeout_ms / 1000 if action.timeout_ms else self._timeout
        outputs: list[ShellCommandOutput] = []
        for command in action.commands:
            outputs.append(await self._run(command, timeout))
            if outputs[-1].outcome.type == "timeout":
                break
        return ShellResult(output=outputs, max_output_length=action.max_output_length)

    async def _run(self, command: str, timeout: float | None) -> ShellCommandOutput:
        try:
            result = await self._place.run(command, timeout=timeout)
        except Denied as error:
            refused = ShellCallOutcome(type="exit", exit_code=126)
            return ShellCommandOutput(command=command, stderr=error.message, outcome=refused)
        outcome = (
            ShellCallOutcome(type="timeout")
            if result.timed_out
            else ShellCallOutcome(type="exit", exit_code=result.exit_code)
        )
        return ShellCommandOutput(
            command=command, stdout=result.stdout, stderr=result.stderr, outcome=outcome
        )
