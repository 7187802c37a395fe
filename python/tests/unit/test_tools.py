"""Tools in the forms of the model vendors."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest

from talaria._schema import ToolCall, ToolSchema, answers_to, arguments_of, calls_of, schema_of

SCHEMA = ToolSchema("terminal", "runs", {"type": "object"})


def test_schemas() -> None:
    plain = {"name": "terminal", "description": "runs", "parameters": {"type": "object"}}
    assert SCHEMA.openai() == {"type": "function", "function": plain}
    assert SCHEMA.responses() == {"type": "function", **plain}
    assert SCHEMA.anthropic() == {
        "name": "terminal",
        "description": "runs",
        "input_schema": {"type": "object"},
    }


def objects(value: Any) -> Any:
    """Plain JSON as the objects of a vendor's package."""
    return json.loads(json.dumps(value), object_hook=lambda one: SimpleNamespace(**one))


CHAT_CALL = {"id": "c1", "function": {"name": "terminal", "arguments": '{"command":"ls"}'}}
CHAT = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
RESPONSES = [
    {"type": "reasoning", "id": "r"},
    {"type": "function_call", "id": "x", "call_id": "c1", "name": "terminal", "arguments": "{}"},
]
ANTHROPIC = [
    {"type": "text", "text": "I look"},
    {"type": "tool_use", "id": "c1", "name": "terminal", "input": {"command": "ls"}},
]


@pytest.mark.parametrize("as_objects", [False, True])
@pytest.mark.parametrize(
    ("response", "form"),
    [
        ({"choices": [{"message": CHAT}]}, "chat"),
        (CHAT, "chat"),
        ({"output": RESPONSES, "id": "resp"}, "responses"),
        (RESPONSES, "responses"),
        ({"role": "assistant", "content": ANTHROPIC, "stop_reason": "tool_use"}, "anthropic"),
    ],
)
def test_calls_are_found(response: Any, form: str, as_objects: bool) -> None:
    found, calls = calls_of(objects(response) if as_objects else response)
    assert found == form
    assert [(call.id, call.name) for call in calls] == [("c1", "terminal")]


@pytest.mark.parametrize(
    "response",
    [
        {"choices": [{"message": {"role": "assistant", "content": "done"}}]},
        {"output": []},
        {"content": [{"type": "text", "text": "done"}]},
        {"content": "done", "tool_calls": None},
    ],
)
def test_a_response_without_calls(response: Any) -> None:
    form, calls = calls_of(response)
    assert calls == []
    assert answers_to(form, calls, []) == []


def test_answers() -> None:
    calls = [ToolCall("1", "a", {}), ToolCall("2", "b", {})]
    assert answers_to("chat", calls, ["x", "y"]) == [
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "tool", "tool_call_id": "2", "content": "y"},
    ]
    assert answers_to("responses", calls[:1], ["x"]) == [
        {"type": "function_call_output", "call_id": "1", "output": "x"}
    ]
    (message,) = answers_to("anthropic", calls, ["x", "y"])
    assert message["role"] == "user"
    assert [one["tool_use_id"] for one in message["content"]] == ["1", "2"]


@pytest.mark.parametrize("text", ["{", "[1]", "7", '"x"'])
def test_bad_arguments_are_reported_to_the_model(text: str) -> None:
    with pytest.raises(ValueError, match="terminal"):
        arguments_of(ToolCall("1", "terminal", text))


def test_arguments() -> None:
    assert arguments_of(ToolCall("1", "a", "")) == {}
    assert arguments_of(ToolCall("1", "a", '{"x":1}')) == {"x": 1}
    assert arguments_of(ToolCall("1", "a", {"x": 1})) == {"x": 1}


def test_a_function_has_a_schema() -> None:
    def find(
        name: Annotated[str, "what to find"],
        count: int = 3,
        how: Literal["a", "b"] = "a",
        tags: list[str] | None = None,
        **more: Any,
    ) -> str:
        """Finds things."""
        return name

    schema = schema_of("find", find)
    assert schema.description == "Finds things."
    assert schema.parameters == {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "description": "what to find"},
            "count": {"type": "integer", "default": 3},
            "how": {"enum": ["a", "b"], "default": "a"},
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
    }
