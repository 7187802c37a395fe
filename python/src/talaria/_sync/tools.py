# Generated from _async/tools.py by tools/generate_sync.py. Change that one.
"""The tools that a model calls, and functions of yours that take part."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .. import _log as log
from .._schema import (
    Functions,
    ToolCall,
    ToolSchema,
    answers_to,
    arguments_of,
    calls_of,
    named,
    schema_of,
)
from ..errors import BadRequest, Denied, LimitReached, NotFound, TalariaError
from ..types import CodeResult, Json
from .runtime import Background, gather, outcome_of

if TYPE_CHECKING:
    from .runtime import Channel

Where = Mapping[str, str]


class Tools:
    """Tools for a model: their schemas in the forms of the vendors, and what runs the calls.

    tools = t.tools()
    response = client.chat.completions.create(..., tools=tools.openai())
    messages += tools.answer(response)
    """

    def __init__(
        self,
        toolbox: Toolbox,
        where: Where,
        session_key: str | None,
        schemas: Sequence[ToolSchema],
        functions: Mapping[str, Callable[..., Any]],
    ) -> None:
        self._toolbox = toolbox
        self._where = where
        self._session_key = session_key
        self._functions = functions
        self.schemas = tuple(schemas)
        """Name, description and parameters of each tool."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.schemas)

    def openai(self) -> list[Json]:
        """Schemas for chat completions."""
        return [one.openai() for one in self.schemas]

    def responses(self) -> list[Json]:
        """Schemas for the Responses API."""
        return [one.responses() for one in self.schemas]

    def anthropic(self) -> list[Json]:
        """Schemas for Anthropic's messages."""
        return [one.anthropic() for one in self.schemas]

    def answer(self, response: Any) -> list[Json]:
        """Runs all tool calls of a model's response, at the same time, and returns the messages
        that go behind it. Empty: the model called no tool.

        `response` is what OpenAI's chat completions, OpenAI's Responses API or Anthropic's messages
        return, or the message in it, as an object or as plain JSON.
        """
        form, calls = calls_of(response)
        turn = os.urandom(8).hex()
        results = gather([self._work(call, turn) for call in calls])
        return answers_to(form, calls, results)

    def call(
        self,
        name: str,
        arguments: str | Json,
        *,
        call_id: str | None = None,
        turn: str | None = None,
    ) -> Json:
        """Runs one tool call and returns its result."""
        call = ToolCall(call_id or "", name, arguments)
        try:
            given = arguments_of(call)
        except ValueError as error:
            return {"error": str(error)}
        if name not in self.names:
            return {"error": f"unknown tool {name!r}. Use one of: {', '.join(self.names)}"}
        function = self._functions.get(name)
        if function is not None:
            return _called(name, function, given)
        try:
            return self._toolbox.call(
                self._where,
                self._session_key,
                name,
                given,
                call_id=call_id,
                turn=turn,
                functions=self._functions,
            )
        except (BadRequest, NotFound, Denied, LimitReached) as error:
            return {"error": str(error)}

    def _work(self, call: ToolCall, turn: str) -> Any:
        def work() -> str:
            result = self.call(call.name, call.arguments, call_id=call.id, turn=turn)
            return json.dumps(result, ensure_ascii=False)

        return work


class Toolbox:
    """What runs tools for all places of a client."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._background = Background()
        self._lock = threading.Lock()
        self._served: dict[str, Mapping[str, Callable[..., Any]]] = {}  # by the id of the script
        self._stop: Callable[[], None] | None = None

    def tools(
        self,
        where: Where,
        session_key: str | None,
        only: Sequence[str] | None,
        functions: Functions,
    ) -> Tools:
        answer = self._channel.call("tools.list", {"tools": list(only) if only else None})
        schemas = [
            ToolSchema(one["name"], one.get("description") or "", one.get("parameters") or {})
            for one in answer["tools"]
        ]
        own = named(functions)
        schemas = [one for one in schemas if one.name not in own]
        schemas += [schema_of(name, function) for name, function in own.items()]
        return Tools(self, where, session_key, schemas, own)

    def call(
        self,
        where: Where,
        session_key: str | None,
        name: str,
        arguments: Json,
        *,
        call_id: str | None = None,
        turn: str | None = None,
        builtin: Sequence[str] | None = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
    ) -> Json:
        """Calls a tool. `functions` are for a script."""
        body: Json = {"tool": name, "args": arguments, **where}
        serves = name == "execute_code" and bool(functions)
        number = call_id or (os.urandom(8).hex() if serves else None)
        more = {"session_key": session_key, "tool_call_id": number, "turn": turn}
        body.update({member: value for member, value in more.items() if value is not None})
        if builtin is not None:
            body["tools"] = [*builtin, *(functions or ())]
        if not serves or number is None or functions is None:
            return self._channel.tool(body)
        self._serve(number, functions)
        try:
            return self._channel.tool(body)
        finally:
            self._serve(number, None)

    def code(
        self,
        where: Where,
        session_key: str | None,
        script: str,
        functions: Functions,
        builtin: Sequence[str] | None,
    ) -> CodeResult:
        result = self.call(
            where,
            session_key,
            "execute_code",
            {"code": script},
            builtin=builtin,
            functions=named(functions),
        )
        return CodeResult.from_wire(result)

    def forget(self) -> None:
        """In the child of a fork: the scripts are the parent's."""
        self._lock = threading.Lock()
        self._served = {}
        self._stop = None

    def _serve(self, number: str, functions: Mapping[str, Callable[..., Any]] | None) -> None:
        connection = self._channel.connection
        with self._lock:  # the last list sent is the one that counts
            if functions is None:
                self._served.pop(number, None)
            else:
                self._served[number] = functions
            if self._stop is None:
                self._stop = connection.listen(self._on_event)
            offered = {
                name: one for served in self._served.values() for name, one in served.items()
            }
            params: Json = {"tools": [_offer(name, one) for name, one in offered.items()]}
            body = {"method": "tools.serve", "params": params}
            connection.keep("tools", body if offered else None)
            call = self._channel.open("tools.serve", params)
        call.answer()

    def _on_event(self, event: Json) -> None:
        if event.get("type") == "tool_called":
            self._background.run(lambda: self._handle(event))

    def _handle(self, event: Json) -> None:
        name: str = event["tool"]
        function = self._function(event.get("tool_call_id"), name)
        params: Json = {"id": event["id"]}
        if function is None:
            params["error"] = f"the script may not call {name}"
        else:
            try:
                params["result"] = outcome_of(function, **(event.get("args") or {}))
                json.dumps(params["result"])
            except Exception as error:
                params.pop("result", None)
                params["error"] = f"{type(error).__name__}: {error}"
        try:
            self._channel.tool({"method": "tools.answer", "params": params})
        except TalariaError as error:
            log.debug("the call of %s was not answered: %s", name, error)

    def _function(self, number: str | None, name: str) -> Callable[..., Any] | None:
        with self._lock:
            if number in self._served:
                return self._served[number].get(name)
            found = [served[name] for served in self._served.values() if name in served]
        return found[0] if len(found) == 1 else None


def _offer(name: str, function: Callable[..., Any]) -> Json:
    schema = schema_of(name, function)
    return {
        "name": name,
        "description": schema.description or None,
        "parameters": schema.parameters,
    }


def _called(name: str, function: Callable[..., Any], arguments: Json) -> Json:
    """The result of somebody's function, in the form of a tool's."""
    try:
        result = outcome_of(function, **arguments)
        json.dumps(result)
    except Exception as error:
        return {"error": f"{name}: {type(error).__name__}: {error}"}
    return cast("Json", result) if isinstance(result, dict) else {"result": result}
