"""A model on loopback that says what it is told to, in the form of OpenAI's chat completions."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

Step = str | tuple[str, dict[str, Any]]  # a text, or the name and the arguments of a tool


class Model:
    """The steps that are left, and the requests that came."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = list(steps)
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if not request.get("tools"):  # Hermes asks beside the conversation, for a title for example
            return {"role": "assistant", "content": "A title"}
        self.requests.append(request)
        step: Step = self.steps.pop(0) if self.steps else "The script is over."
        if isinstance(step, str):
            return {"role": "assistant", "content": step}
        name, arguments = step
        call = {"id": f"call_{len(self.requests)}", "type": "function"}
        call["function"] = {"name": name, "arguments": json.dumps(arguments)}  # type: ignore[assignment]
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    @property
    def tool_results(self) -> list[str]:
        """What the tools returned, as the model got it."""
        last = self.requests[-1]["messages"]
        return [message["content"] for message in last if message["role"] == "tool"]


@contextlib.contextmanager
def serve(steps: Sequence[Step]) -> Iterator[Model]:
    model = Model(steps)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.reply(
                json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
            )

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = model.answer(request)
            finish = "tool_calls" if message.get("tool_calls") else "stop"
            shared = {"id": "chat-1", "created": 1, "model": "scripted"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            if not request.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": finish}
                body = {**shared, "object": "chat.completion", "choices": [choice], "usage": usage}
                self.reply(json.dumps(body))
                return
            for index, call in enumerate(message.get("tool_calls") or ()):
                call["index"] = index
            chunk = {**shared, "object": "chat.completion.chunk"}
            first = {"index": 0, "delta": message, "finish_reason": None}
            last = {"index": 0, "delta": {}, "finish_reason": finish}
            lines = [{**chunk, "choices": [first]}, {**chunk, "choices": [last], "usage": usage}]
            text = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
            self.reply(text, "text/event-stream")

        def reply(self, text: str, kind: str = "application/json") -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
