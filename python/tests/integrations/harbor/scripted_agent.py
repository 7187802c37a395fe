"""An agent for Harbor that plays a script: no model is asked."""

from __future__ import annotations

from typing import override

from harbor.agents.base import BaseAgent
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext


class ScriptedAgent(BaseAgent):
    @staticmethod
    @override
    def name() -> str:
        return "scripted"

    @override
    def version(self) -> str:
        return "1"

    @override
    async def setup(self, environment: BaseEnvironment) -> None:
        await environment.exec("mkdir -p /opt/agent", user="root")

    @override
    async def run(
        self, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        """Every line of the instruction that begins with `$ ` is a command."""
        commands = [line[2:] for line in instruction.splitlines() if line.startswith("$ ")]
        for number, command in enumerate(commands):
            result = await environment.exec(command, env={"STEP": str(number)}, timeout_sec=60)
            await environment.exec(
                f"echo {result.return_code} >>/logs/agent/exit-codes", user="root"
            )
