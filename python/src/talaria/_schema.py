"""Tools as model vendors write them: schemas, calls in their responses, answers to these."""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from .types import Json

Form = Literal["chat", "responses", "anthropic"]
Functions = Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]

_TYPES: dict[object, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    type(None): {"type": "null"},
}


@dataclass(frozen=True)
class ToolSchema:
    """A tool, as a model gets it."""

    name: str
    description: str
    parameters: Json

    def openai(self) -> Json:
        """For chat completions of OpenAI and of those who speak like it."""
        return {"type": "function", "function": self._plain()}

    def responses(self) -> Json:
        """For the Responses API of OpenAI."""
        return {"type": "function", **self._plain()}

    def anthropic(self) -> Json:
        """For messages of Anthropic."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.parameters,
        }

    def _plain(self) -> Json:
        return {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }


@dataclass(frozen=True)
class ToolCall:
    """A call that a model wants."""

    id: str
    name: str
    arguments: str | Json


def named(functions: Functions) -> dict[str, Callable[..., Any]]:
    """Functions by the names that models use for them."""
    if isinstance(functions, Mapping):
        return dict(functions)
    return {function.__name__: function for function in functions}


def schema_of(name: str, function: Callable[..., Any]) -> ToolSchema:
    """The schema of a function, by its annotations and its docstring."""
    properties: Json = {}
    required: list[str] = []
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        hints = dict[str, Any]()
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        one = _schema_of_type(hints.get(parameter.name, Any))
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif isinstance(parameter.default, (str, int, float, bool)):
            one = {**one, "default": parameter.default}
        properties[parameter.name] = one
    parameters: Json = {"type": "object", "properties": properties, "required": required}
    return ToolSchema(name, inspect.getdoc(function) or "", parameters)


def _schema_of_type(hint: Any) -> Json:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        one = _schema_of_type(arguments[0])
        words = [word for word in arguments[1:] if isinstance(word, str)]
        return {**one, "description": words[0]} if words else one
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema_of_type(one) for one in arguments]}
    known = _TYPES.get(origin or hint, _TYPES[list] if origin is Sequence else {})
    if known.get("type") == "array" and arguments:
        return {"type": "array", "items": _schema_of_type(arguments[0])}
    return dict(known)


def arguments_of(call: ToolCall) -> Json:
    """The arguments of a call. Raises ValueError with a text for the model."""
    value: object = call.arguments
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except ValueError as error:
            raise ValueError(f"the arguments of {call.name} are not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"the arguments of {call.name} must be a JSON object")
    return cast("Json", value)


def calls_of(response: Any) -> tuple[Form, list[ToolCall]]:
    """The calls in what a model returned: a response, a message or its items, of a vendor's package
    or as plain JSON."""
    choices = _member(response, "choices")
    if choices:
        response = _member(choices[0], "message")
    output = _member(response, "output")
    items = cast("Any", output if isinstance(output, list) else response)
    if isinstance(items, (list, tuple)):
        found = [_responses_call(one) for one in cast("Sequence[Any]", items)]
        return "responses", [one for one in found if one is not None]
    content = _member(response, "content")
    if isinstance(content, (list, tuple)) and _member(response, "tool_calls") is None:
        found = [_anthropic_call(one) for one in cast("Sequence[Any]", content)]
        return "anthropic", [one for one in found if one is not None]
    return "chat", [_chat_call(one) for one in _member(response, "tool_calls") or ()]


def answers_to(form: Form, calls: Sequence[ToolCall], results: Sequence[str]) -> list[Json]:
    """What goes into the conversation behind the model's message."""
    pairs = list(zip(calls, results, strict=True))
    if form == "chat":
        return [{"role": "tool", "tool_call_id": c.id, "content": text} for c, text in pairs]
    if form == "responses":
        return [
            {"type": "function_call_output", "call_id": c.id, "output": text} for c, text in pairs
        ]
    blocks = [{"type": "tool_result", "tool_use_id": c.id, "content": text} for c, text in pairs]
    return [{"role": "user", "content": blocks}] if blocks else []


def _chat_call(one: Any) -> ToolCall:
    function = _member(one, "function")
    return ToolCall(_member(one, "id"), _member(function, "name"), _member(function, "arguments"))


def _responses_call(one: Any) -> ToolCall | None:
    if _member(one, "type") != "function_call":
        return None
    return ToolCall(_member(one, "call_id"), _member(one, "name"), _member(one, "arguments"))


def _anthropic_call(one: Any) -> ToolCall | None:
    if _member(one, "type") != "tool_use":
        return None
    return ToolCall(_member(one, "id"), _member(one, "name"), _member(one, "input"))


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)
