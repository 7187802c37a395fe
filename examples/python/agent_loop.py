"""An agent: a model, the tools of Talaria, and a loop.

    python agent_loop.py [DIRECTORY]

The model here follows a script, so that the program needs no account. `model` has the form of a
call of OpenAI's chat completions. With the real one it is

    def model(messages, tools):
        return OpenAI().chat.completions.create(model="...", messages=messages, tools=tools)
"""

from __future__ import annotations

import json
import sys
import tempfile
from typing import Any

from talaria import Talaria

TASK = "The program fib.py prints a wrong number. Find the mistake, and correct it."
PROGRAM = """\
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 3)

print(fib(max(10, 2)))
"""
SCRIPT: list[tuple[str, dict[str, Any]] | str] = [
    ("read_file", {"path": "fib.py"}),
    ("patch", {"path": "fib.py", "old_string": "fib(n - 3)", "new_string": "fib(n - 2)"}),
    ("terminal", {"command": "python3 fib.py"}),
    "fib(n - 3) has to be fib(n - 2). Now it prints 55.",
]


def model(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The next step of the script."""
    step = SCRIPT[sum(message["role"] == "assistant" for message in messages)]
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(step, str):
        message["content"] = step
    else:
        function = {"name": step[0], "arguments": json.dumps(step[1])}
        message["tool_calls"] = [
            {"id": f"call_{len(messages)}", "type": "function", "function": function}
        ]
    return {"choices": [{"message": message}]}


def solve(task: str, directory: str) -> str:
    """Lets the model work in the directory until it calls no more tools. Returns what it says."""
    with Talaria(cwd=directory) as t:
        tools = t.tools(only=["terminal", "read_file", "patch"])
        messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
        while True:
            response = model(messages, tools.openai())
            message = response["choices"][0]["message"]
            for call in message.get("tool_calls") or ():
                print(f"-> {call['function']['name']} {call['function']['arguments']}")
            messages.append(message)
            results = tools.answer(response)
            if not results:
                return message["content"]
            messages += results


def main() -> None:
    directory = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    with open(f"{directory}/fib.py", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    print(solve(TASK, directory))


if __name__ == "__main__":
    main()
