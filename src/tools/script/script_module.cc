#include "tools/script/script_module.h"

#include <algorithm>
#include <array>

#include <boost/json/value.hpp>

#include "json/json_text.h"

namespace talaria::tool {

namespace json = boost::json;

namespace {

struct Stub {
  std::string_view tool;
  std::string_view parameters;
  std::string_view help;
  std::string_view arguments;  // as they are sent
  std::string_view returns;    // what is in the dict
};

constexpr auto kStubs = std::to_array<Stub>({
    {"patch",
     "path: str = None, old_string: str = None, new_string: str = None, replace_all: bool = False, "
     "mode: str = \"replace\", patch: str = None, cross_profile: bool = False",
     "Replace text in a file, or apply a V4A patch to several. Returns a dict.",
     R"({"path": path, "old_string": old_string, "new_string": new_string, "replace_all": replace_all, "mode": mode, "patch": patch, "cross_profile": cross_profile})",
     R"({"success", "diff", "files_modified"} or {"error"})"},
    {"read_file", "path: str, offset: int = 1, limit: int = 500",
     "Lines of a file, the first is 1. Returns a dict with content (numbered) and total_lines.",
     R"({"path": path, "offset": offset, "limit": limit})",
     R"({"content", "total_lines"} or {"error"})"},
    {"search_files",
     "pattern: str, target: str = \"content\", path: str = \".\", file_glob: str = None, limit: "
     "int "
     "= 50, offset: int = 0, output_mode: str = \"content\", context: int = 0",
     "Search in files (target=\\\"content\\\") or for their names (\\\"files\\\"). Returns a dict.",
     R"({"pattern": pattern, "target": target, "path": path, "file_glob": file_glob, "limit": limit, "offset": offset, "output_mode": output_mode, "context": context})",
     R"({"total_count", "matches": [{"path", "line", "content"}]}, or "files")"},
    {"terminal", "command: str, timeout: int = None, workdir: str = None",
     "Run a shell command to its end. Returns a dict with output and exit_code.",
     R"({"command": command, "timeout": timeout, "workdir": workdir})",
     R"({"output", "exit_code"})"},
    {"web_extract", "urls: list",
     "The text of web pages. Returns a dict with results: url, title, content, error.",
     R"({"urls": urls})", R"({"results": [{"url", "title", "content", "error"}]})"},
    {"web_search", "query: str, limit: int = 5",
     "Search the web. Returns a dict with data.web: url, title, description.",
     R"({"query": query, "limit": limit})",
     R"({"data": {"web": [{"url", "title", "description"}]}})"},
    {"write_file", "path: str, content: str, cross_profile: bool = False",
     "Write a whole file. Returns a dict.",
     R"({"path": path, "content": content, "cross_profile": cross_profile})",
     R"({"bytes_written"} or {"error"})"},
});

// Imports nothing that an interpreter does not have at its start, but for what a call needs, when
// there is one. A connection belongs to one thread of one process, so that nobody reads another's
// answer; one that had trouble is not used again.
constexpr std::string_view kPlumbing =
    R"py("""Tools of the agent, for scripts that run under execute_code."""
import os
import sys
from _thread import _local

if sys.version_info < (3, 8):
    raise ImportError("hermes_tools needs Python 3.8 or newer, this is %d.%d" % sys.version_info[:2])

_PATIENCE = 300
_mine = _local()


def _connect():
    if getattr(_mine, "pid", None) != os.getpid():
        try:
            import _socket as sockets
        except ImportError:
            import socket as sockets
        import struct
        connection = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        connection.settimeout(None)  # the kernel's limit: Python's own is a poll() for each call
        limit = struct.pack("ll", int(_PATIENCE), int(_PATIENCE % 1 * 1000000))
        for option in (sockets.SO_RCVTIMEO, sockets.SO_SNDTIMEO):
            connection.setsockopt(sockets.SOL_SOCKET, option, limit)
        try:
            connection.connect(os.environ["HERMES_RPC_SOCKET"])
        except (KeyError, OSError) as error:
            raise RuntimeError("Agent process disconnected") from error
        _mine.connection, _mine.number, _mine.pid = connection, 0, os.getpid()
    return _mine.connection


def _exchange(connection, line):
    connection.sendall(line)
    parts = []
    while not parts or not parts[-1].endswith(b"\n"):
        parts.append(connection.recv(1 << 16))
        if not parts[-1]:
            raise RuntimeError("Agent process disconnected")
    return b"".join(parts)


def _json():
    try:
        import json
    except ImportError as error:
        raise RuntimeError(
            "hermes_tools needs the module %s, which this Python (%s) does not have: install its "
            "standard library (Debian: apt-get install python3)"
            % (error.name, sys.executable)) from None
    return json


def _call(tool_name, args):
    """Have the agent call a tool, and return what it answers."""
    json = _json()
    connection = _connect()
    _mine.number += 1
    request = {"id": _mine.number, "tool": tool_name, "args": args}
    line = json.dumps(request).encode() + b"\n"  # what cannot be sent raises here
    try:
        answer = json.loads(_exchange(connection, line))
        if "id" not in answer and "error" in answer:  # it could not even be read
            _mine.pid = None
            connection.close()
            return answer
        if answer.get("id") != _mine.number:
            raise RuntimeError("Agent process answered another call")
        result = answer["result"]
    except BaseException as error:
        _mine.pid = None
        connection.close()
        if isinstance(error, (AttributeError, KeyError, TypeError, ValueError)):
            raise RuntimeError("Agent process sent no proper answer") from error
        if isinstance(error, (BrokenPipeError, ConnectionError)):
            raise RuntimeError("Agent process disconnected") from error
        if type(error).__name__ in ("timeout", "TimeoutError", "BlockingIOError"):
            raise RuntimeError(
                "RPC timeout: no response for %s after %ds" % (tool_name, _PATIENCE)) from error
        raise
    if isinstance(result, str):
        try:
            return json.loads(result)
        except ValueError:
            return result
    return result


def json_parse(text: str):
    """Parse JSON that may have raw control characters in its strings."""
    return _json().loads(text, strict=False)


def shell_quote(s: str) -> str:
    """Quote a text so that a shell takes it for one word."""
    import shlex
    return shlex.quote(s)


def retry(fn, max_attempts=3, delay=2):
    """Call fn() until it raises nothing, at most so often; waits longer each time."""
    import time
    for attempt in range(max_attempts):
        try:
            return fn()
        except Exception:
            if attempt == max_attempts - 1:
                raise
            time.sleep(delay * 2 ** attempt)
)py";

const Stub* find_stub(std::string_view tool) {
  const auto found = std::ranges::find(kStubs, tool, &Stub::tool);
  return found == kStubs.end() ? nullptr : &*found;
}

}  // namespace

std::string script_signature(std::string_view tool) {
  const Stub* stub = find_stub(tool);
  return stub ? std::string(tool) + "(" + std::string(stub->parameters) + ")" : "";
}

std::string script_returns(std::string_view tool) {
  const Stub* stub = find_stub(tool);
  return stub ? std::string(stub->returns) : "";
}

std::string script_module(const std::vector<std::string>& tools, const OwnTools* own) {
  const auto is_own = [own](std::string_view name) {
    return own != nullptr &&
           std::ranges::find(own->tools, name, &OwnTool::name) != own->tools.end();
  };
  std::string text(kPlumbing);
  for (const Stub& stub : kStubs) {  // which are in the order of their names
    if (std::ranges::find(tools, stub.tool) == tools.end() || is_own(stub.tool)) continue;
    const std::string name(stub.tool);
    text += "\n\ndef " + script_signature(name) + ":\n    \"\"\"" + std::string(stub.help) +
            "\"\"\"\n    return _call(\"" + name + "\", " + std::string(stub.arguments) + ")\n";
  }
  if (own == nullptr) return text;
  for (const OwnTool& one : own->tools) {
    if (std::ranges::find(tools, one.name) == tools.end()) continue;
    // A text of JSON is one of Python, too.
    text += "\n\ndef " + one.name + "(**args):\n    " + to_line(json::value(one.description)) +
            "\n    return _call(\"" + one.name + "\", args)\n";
  }
  return text;
}

}  // namespace talaria::tool
