"""mini-swe-agent: an environment class.

    environment:
      environment_class: talaria.integrations.mini_swe.TalariaEnvironment
      target: docker
      image: python:3.11

As mini-swe-agent tells its models, every command runs in a new shell: a directory or a variable
that a command changes is as before for the next one, unless `session` is set.
"""

from __future__ import annotations

import contextlib
from typing import Any

from minisweagent.exceptions import Submitted
from minisweagent.utils.serialize import recursive_merge
from pydantic import BaseModel

from talaria import Result, Sandbox
from talaria.errors import BadRequest, CommandTimeout, Denied, LimitReached, TalariaError
from talaria.integrations import _shared

FRAMEWORK = "mini-swe-agent"
FINAL_MARKER = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
UNAME = {"system": "-s", "node": "-n", "release": "-r", "version": "-v", "machine": "-m"}


class TalariaEnvironmentConfig(BaseModel):
    target: str | None = None
    """Where commands run: `docker`, `local`, ...; absent: as Talaria is configured."""
    image: str | None = None
    cwd: str = ""
    """Where commands run; absent: at docker the WORKDIR of the image."""
    env: dict[str, str] = {}
    """Variables of the commands."""
    timeout: int = 30
    """Seconds for a command."""
    session: bool = False
    """What a command changes (directory, variables, functions) stays for the next one."""
    cpus: float | None = None
    memory: int | str | None = None
    """Megabytes, or a text such as `"2g"`."""
    disk: int | str | None = None
    ttl: float | str | None = "2h"
    """The sandbox ends after this time even if nobody ends it."""


class TalariaEnvironment:
    """A sandbox, made at once. It ends with this object, with `cleanup()` or with the interpreter.

    A command that fails, is refused or takes too long is a result for the model. If the machinery
    fails, `talaria.errors.InfrastructureError` ends the run.
    """

    def __init__(
        self,
        *,
        config_class: type[TalariaEnvironmentConfig] = TalariaEnvironmentConfig,
        **kwargs: Any,
    ) -> None:
        self.config = config_class(**kwargs)
        self._uname: dict[str, str] = {}
        self._sandbox: Sandbox | None = _shared.shared().sandbox(
            self.config.target,
            image=self.config.image,
            cwd=self.config.cwd or None,
            cpus=self.config.cpus,
            memory=self.config.memory,
            disk=self.config.disk,
            ttl=self.config.ttl,
            name=_shared.sandbox_name(FRAMEWORK, self.config.image),
        )
        if not self.config.cwd:
            _shared.begin_in_image(self._sandbox)

    def execute(
        self, action: dict[str, Any], cwd: str = "", *, timeout: int | None = None
    ) -> dict[str, Any]:
        """Runs a command. Raises Submitted for the one that ends the task."""
        command = action.get("command", "")
        try:
            result = self._run(command, cwd, timeout or self.config.timeout)
            if result.timed_out:
                result.check()
            output = {"output": result.stdout, "returncode": result.exit_code, "exception_info": ""}
        except (CommandTimeout, Denied, BadRequest, LimitReached) as error:
            output = _failure(error)
        self._check_finished(output)
        return output

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """The configuration, and what the target is (`system`, `release`, `machine`, ...)."""
        if not self._uname:
            for name, option in UNAME.items():
                self._uname[name] = self._run(f"uname {option}", "", 30).stdout.strip()
        return recursive_merge(self.config.model_dump(), self._uname, kwargs)

    def serialize(self) -> dict[str, Any]:
        return {
            "info": {
                "config": {
                    "environment": self.config.model_dump(mode="json"),
                    "environment_type": f"{type(self).__module__}.{type(self).__name__}",
                }
            }
        }

    def cleanup(self) -> None:
        """Removes the sandbox, with what runs in it. Again: does nothing."""
        sandbox, self._sandbox = getattr(self, "_sandbox", None), None
        if sandbox is not None:
            sandbox.close()

    def __del__(self) -> None:
        with contextlib.suppress(TalariaError):  # its client tries again when Python ends
            self.cleanup()

    def _run(self, command: str, cwd: str, timeout: float) -> Result:
        if self._sandbox is None:
            raise RuntimeError("this environment was cleaned up; make a new one")
        return self._sandbox.run(
            command,
            cwd=cwd or None,
            env=self.config.env,
            timeout=timeout,
            merge=True,
            session=self.config.session,
        )

    def _check_finished(self, output: dict[str, Any]) -> None:
        lines = output["output"].lstrip().splitlines(keepends=True)
        if lines and lines[0].strip() == FINAL_MARKER and output["returncode"] == 0:
            submission = "".join(lines[1:])
            extra = {"exit_status": "Submitted", "submission": submission}
            raise Submitted({"role": "exit", "content": submission, "extra": extra})


def _failure(error: TalariaError) -> dict[str, Any]:
    """What a model gets for a command that did not end by itself: as the built-in environments."""
    return {
        "output": error.result.output if isinstance(error, CommandTimeout) else "",
        "returncode": -1,
        "exception_info": f"An error occurred while executing the command: {error}",
        "extra": {"exception_type": type(error).__name__, "exception": str(error)},
    }
