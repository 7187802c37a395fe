"""A supervisor: a program that answers for a person whether a dangerous command may run.

    python supervisor.py

The agent below runs three commands. Two of them are dangerous, and wait. The supervisor allows what
stays in the directory of the project. It refuses the rest, with words that the agent reads.
"""

from __future__ import annotations

import tempfile

from talaria import Approval, Approve, Denied, Deny, Talaria

COMMANDS = (
    "ls",
    "rm -rf results",
    "git push --force origin main",
)


class Supervisor:
    """Decides, and remembers what it has decided."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.log: list[str] = []

    def decide(self, question: Approval) -> Approve | Deny:
        """Called in a thread of its own while the command waits."""
        inside = question.cwd.startswith(self.project)
        if inside and question.command.startswith("rm -rf ") and ".." not in question.command:
            self.log.append(f"allowed: {question.command}")
            return Approve()
        self.log.append(f"refused: {question.command} ({question.description})")
        return Deny("Ask for a review instead; main is protected.")


def agent(t: Talaria) -> list[str]:
    """What an agent sees of its commands."""
    seen: list[str] = []
    for command in COMMANDS:
        try:
            result = t.run(command)
            seen.append(f"{command}: exit code {result.exit_code}")
        except Denied as error:
            seen.append(f"{command}: {error.words or error.message}")
    return seen


def main() -> None:
    with tempfile.TemporaryDirectory() as project, Talaria() as t:
        t.set_cwd(project)
        t.run("mkdir results && touch results/1.csv", check=True)
        supervisor = Supervisor(project)
        t.approvals.handler(supervisor.decide)
        for line in agent(t):
            print(f"agent       {line}")
        for line in supervisor.log:
            print(f"supervisor  {line}")
        print(f"left        {t.run('ls').stdout.split()}")


if __name__ == "__main__":
    main()
