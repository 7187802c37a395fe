"""Tools for models, and functions that take part."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from talaria import AsyncTalaria, Talaria


def test_schemas_come_from_the_program(t: Talaria) -> None:
    tools = t.tools()
    assert {"terminal", "read_file", "write_file", "patch", "execute_code"} <= set(tools.names)
    terminal = next(one for one in tools.openai() if one["function"]["name"] == "terminal")
    assert "command" in terminal["function"]["parameters"]["properties"]
    assert t.tools(only=["terminal"]).names == ("terminal",)
    assert tools.anthropic()[0]["input_schema"]["type"] == "object"
    assert tools.responses()[0]["type"] == "function"


def call(number: str, name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": number, "type": "function", "function": function}


def test_calls_of_a_response_run_at_the_same_time(t: Talaria) -> None:
    tools = t.tools()
    calls = [
        call("a", "terminal", command="until test -e go; do sleep 0.05; done; echo went"),
        call("b", "terminal", command="touch go"),
        call("c", "read_file", path="no such file"),
        call("d", "nonsense"),
        {"id": "e", "function": {"name": "terminal", "arguments": "{broken"}},
    ]
    messages = tools.answer({"choices": [{"message": {"tool_calls": calls}}]})
    assert [one["tool_call_id"] for one in messages] == ["a", "b", "c", "d", "e"]
    results = [json.loads(one["content"]) for one in messages]
    assert results[0]["output"] == "went"
    assert "not found" in results[2]["error"].lower()
    assert "unknown tool" in results[3]["error"]
    assert "JSON" in results[4]["error"]


def test_anthropic(t: Talaria) -> None:
    use = {"type": "tool_use", "id": "x", "name": "terminal", "input": {"command": "echo hi"}}
    (message,) = t.tools().answer({"role": "assistant", "content": [use]})
    assert json.loads(message["content"][0]["content"])["output"] == "hi"
    assert t.tools().answer({"role": "assistant", "content": []}) == []


def test_functions_are_tools(t: Talaria) -> None:
    def price(item: str, count: int = 1) -> dict[str, Any]:
        """What it costs."""
        return {"total": {"apple": 2}[item] * count}

    tools = t.tools(functions=[price])
    assert tools.call("price", {"item": "apple", "count": 3}) == {"total": 6}
    assert "KeyError" in tools.call("price", {"item": "pear"})["error"]
    assert "TypeError" in tools.call("price", {"wrong": 1})["error"]

    def mine(command: str) -> str:
        return "mine"

    assert t.tools(functions={"terminal": mine}).call("terminal", {"command": "x"}) == {
        "result": "mine"
    }


def test_a_raw_result_keeps_its_error(t: Talaria) -> None:
    assert "error" in t.tool("read_file", {"path": "no such file"})
    assert t.tool("terminal", {"command": "echo x"}, call_id="c", turn="1")["output"] == "x"


def test_code(t: Talaria) -> None:
    result = t.code("from hermes_tools import terminal\nprint(terminal('echo hi')['output'])")
    assert (result.ok, result.output, result.tool_calls) == (True, "hi\n", 1)
    failed = t.code("raise SystemExit(3)")
    assert failed.status == "error"
    limited = t.code("from hermes_tools import terminal", builtin=["read_file"])
    assert not limited.ok


SCRIPT = """
from hermes_tools import add
print(add(a=1, b=2), add(a=3, b=4))
"""


def test_scripts_call_functions_of_ours(t: Talaria) -> None:
    calls: list[tuple[int, int]] = []

    def add(a: int, b: int) -> int:
        """Adds."""
        calls.append((a, b))
        return a + b

    assert t.code(SCRIPT, tools=[add]).output == "3 7\n"
    assert calls == [(1, 2), (3, 4)]
    assert not t.code(SCRIPT).ok

    def fails(a: int, b: int) -> int:
        raise ValueError("no sum")

    failed = t.code(SCRIPT, tools={"add": fails})
    assert "no sum" in (failed.error or "") + failed.output


def test_functions_of_scripts_at_the_same_time_are_apart(run: Callable[[Any], Any]) -> None:
    async def work() -> None:
        async with AsyncTalaria() as t:

            async def one(number: int) -> str:
                async def add(a: int, b: int) -> int:
                    await asyncio.sleep(0.05)
                    return a + b + number

                return (await t.task(f"script-{number}").code(SCRIPT, tools=[add])).output

            found = await asyncio.gather(*(one(number * 100) for number in range(4)))
            assert found == [f"{3 + n} {7 + n}\n" for n in range(0, 400, 100)]

    run(work())


def test_settings(t: Talaria) -> None:
    before = t.settings.get("terminal.timeout")
    applied = t.settings.set({"terminal.timeout": 77})
    assert "terminal.timeout" in applied.applied
    assert t.settings.get("terminal.timeout")["terminal.timeout"] == 77
    t.settings.set({"terminal.timeout": None})
    assert t.settings.get("terminal.timeout") == before


def test_reads_are_forgotten(t: Talaria) -> None:
    t.files.write("seen.txt", "one\n")
    first = t.tool("read_file", {"path": "seen.txt"})
    assert t.tool("read_file", {"path": "seen.txt"}).get("dedup")
    t.forget_reads()
    assert t.tool("read_file", {"path": "seen.txt"})["content"] == first["content"]


@pytest.mark.parametrize("name", ["env.list", "approvals.list"])
def test_any_method(t: Talaria, name: str) -> None:
    assert t.call(name)
