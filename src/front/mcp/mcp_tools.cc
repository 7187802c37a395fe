#include "front/mcp/mcp_tools.h"

#include <talaria/call.h>

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/parse.hpp>

#include "front/mcp/mcp_resources.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::mcp {
namespace {

// What is said of a tool beside its description and what it takes.
struct ToolFacts {
  std::string_view name;
  std::string_view title;
  bool reads_only = false;
  bool destroys = false;
  bool repeatable = false;  // twice is as good as once
  bool open_world = false;  // it may reach beyond this machine
  bool gives_much = false;  // its results are long, and meant to be read whole
  std::string_view output;  // the properties of its answer: JSON
};

constexpr std::string_view kTerminalOutput = R"({
  "output": {"type": "string", "description": "stdout and stderr together."},
  "exit_code": {"type": ["integer", "null"], "description": "-N: ended by signal N; 124: its timeout; null: it still runs."},
  "exit_code_meaning": {"type": "string"},
  "error": {"type": ["string", "null"], "description": "Why it was not run; null if it was."},
  "status": {"type": "string", "description": "running, blocked, pending_approval, error or disabled; absent: it ran to its end."},
  "session_id": {"type": "string", "description": "The handle of what still runs, for the process tool. It is valid until the process has ended and been forgotten."},
  "pid": {"type": "integer"},
  "approval_id": {"type": "string", "description": "What a person approves: talaria approve ID."},
  "full_output_path": {"type": "string", "description": "The file with all of an output that was cut."},
  "output_total_bytes": {"type": "integer"},
  "notices": {"type": "array", "items": {"type": "string"}},
  "target": {"type": "string"},
  "transport": {"type": ["string", "null"]},
  "duration_ms": {"type": "integer"}
})";

constexpr std::string_view kProcessOutput = R"({
  "status": {"type": "string", "description": "running, exited, killed, not_found, timeout, error, ..."},
  "session_id": {"type": "string"},
  "exit_code": {"type": ["integer", "null"]},
  "output": {"type": "string"},
  "output_preview": {"type": "string"},
  "data": {"type": "string", "description": "read: a piece of output."},
  "next": {"type": "integer", "description": "read: where to go on."},
  "eof": {"type": "boolean", "description": "read: there will be no more."},
  "processes": {"type": "array", "items": {"type": "object"}},
  "error": {"type": ["string", "null"]}
})";

constexpr std::string_view kCodeOutput = R"({
  "status": {"type": "string", "description": "success, error, timeout, interrupted or running."},
  "session_id": {"type": "string", "description": "The handle of a script that still runs, for process wait, poll and kill."},
  "approval_id": {"type": "string", "description": "What a person approves: talaria approve ID."},
  "output": {"type": "string", "description": "What the script printed."},
  "error": {"type": ["string", "null"]},
  "tool_calls_made": {"type": "integer"},
  "duration_seconds": {"type": "number"}
})";

constexpr std::string_view kReadOutput = R"({
  "content": {"type": "string", "description": "Lines as NUMBER|TEXT."},
  "total_lines": {"type": "integer"},
  "hint": {"type": "string", "description": "Where to go on."},
  "error": {"type": ["string", "null"]}
})";

constexpr std::string_view kWriteOutput = R"({
  "bytes_written": {"type": "integer"},
  "error": {"type": ["string", "null"]}
})";

constexpr std::string_view kSearchOutput = R"({
  "total_count": {"type": "integer"},
  "matches": {"type": "array", "items": {"type": "object"}},
  "files": {"type": "array"},
  "error": {"type": ["string", "null"]}
})";

constexpr std::string_view kPatchOutput = R"({
  "success": {"type": "boolean"},
  "diff": {"type": "string"},
  "files_modified": {"type": "array", "items": {"type": "string"}},
  "error": {"type": ["string", "null"]}
})";

constexpr std::string_view kWebSearchOutput = R"({
  "success": {"type": "boolean"},
  "data": {"type": "object", "description": "web: a list of url, title and description."},
  "error": {"type": ["string", "null"]}
})";

constexpr std::string_view kWebExtractOutput = R"({
  "results": {"type": "array", "items": {"type": "object"}, "description": "url, title, content, error."},
  "error": {"type": ["string", "null"]}
})";

constexpr std::array kFacts{
    ToolFacts{.name = "terminal",
              .title = "Run a shell command",
              .destroys = true,
              .open_world = true,
              .gives_much = true,
              .output = kTerminalOutput},
    ToolFacts{.name = "process",
              .title = "Look at and steer processes",
              .destroys = true,
              .gives_much = true,
              .output = kProcessOutput},
    ToolFacts{.name = "read_file",
              .title = "Read a file",
              .reads_only = true,
              .repeatable = true,
              .gives_much = true,
              .output = kReadOutput},
    ToolFacts{.name = "write_file",
              .title = "Write a file",
              .destroys = true,
              .repeatable = true,
              .output = kWriteOutput},
    ToolFacts{.name = "search_files",
              .title = "Search files",
              .reads_only = true,
              .repeatable = true,
              .output = kSearchOutput},
    ToolFacts{.name = "patch", .title = "Change files", .destroys = true, .output = kPatchOutput},
    ToolFacts{.name = "execute_code",
              .title = "Run a Python script that calls tools",
              .destroys = true,
              .open_world = true,
              .output = kCodeOutput},
    ToolFacts{.name = "web_search",
              .title = "Search the web",
              .reads_only = true,
              .repeatable = true,
              .open_world = true,
              .output = kWebSearchOutput},
    ToolFacts{.name = "web_extract",
              .title = "Read web pages",
              .reads_only = true,
              .repeatable = true,
              .open_world = true,
              .output = kWebExtractOutput},
};

// Claude Code cuts results at a size of its own unless a tool says that it needs more.
constexpr std::string_view kMaxSizeName = "anthropic/maxResultSizeChars";
constexpr int kMaxSize = 200'000;

constexpr std::string_view kTaskProperty = R"({
  "type": "string",
  "maxLength": 256,
  "description": "Whose shell: calls with the same task share directory and variables. Default: one of your own. Name one to share it, or to go on with it after a restart."
})";

constexpr std::string_view kYieldProperty = R"({
  "type": "integer",
  "minimum": 0,
  "default": 10000,
  "description": "Milliseconds to wait. A command that takes longer goes on in the background, and the answer has its session_id: go on with process wait. 0: wait until its timeout."
})";

constexpr std::string_view kScriptYieldProperty = R"({
  "type": "integer",
  "minimum": 0,
  "default": 10000,
  "description": "Milliseconds to wait. A script that takes longer goes on, and the answer has its session_id (call_...): process wait, poll and kill know it, as long as this server runs. 0: wait until its timeout."
})";

json::object input_schema(const ToolInfo& tool) {
  json::object schema = json::parse(tool.schema).as_object();
  json::object& properties = schema["properties"].as_object();
  if (tool.name == "terminal") properties["yield_ms"] = json::parse(kYieldProperty);
  if (tool.name == "execute_code") properties["yield_ms"] = json::parse(kScriptYieldProperty);
  if (!tool.name.starts_with("web_")) properties["task"] = json::parse(kTaskProperty);
  return schema;
}

json::object described(const ToolInfo& tool, const ToolFacts& facts) {
  json::object described{
      {"name", tool.name},
      {"title", facts.title},
      {"description", tool.description},
      {"inputSchema", input_schema(tool)},
      {"outputSchema", {{"type", "object"}, {"properties", json::parse(facts.output)}}},
      {"annotations",
       {{"title", facts.title},
        {"readOnlyHint", facts.reads_only},
        {"destructiveHint", facts.destroys},
        {"idempotentHint", facts.repeatable},
        {"openWorldHint", facts.open_world}}}};
  if (facts.gives_much) described["_meta"] = {{kMaxSizeName, kMaxSize}};
  return described;
}

// Of a handle, where nobody can tell any more which of them.
constexpr std::string_view kGone =
    "It was never there, or it has ended and expired: only the last processes that ended are kept, "
    "and those for a while. What ran has to be started again.";

// What a model can do something about. A command that ran and failed is none.
bool tells_of_error(const json::object& answer) {
  if (!text_field(answer, "error").empty()) return true;
  const std::string status = text_field(answer, "status");
  if (status == "blocked" || status == "pending_approval" || status == "not_found") return true;
  const json::value* success = answer.if_contains("success");
  return success && success->is_bool() && !success->get_bool();
}

}  // namespace

json::array mcp_tools() {
  json::array list;
  for (const ToolInfo& tool : tools()) {
    const auto facts = std::ranges::find(kFacts, tool.name, &ToolFacts::name);
    if (facts != kFacts.end()) list.push_back(described(tool, *facts));
  }
  return list;
}

std::string mcp_instructions() {
  return "Talaria runs shell commands, scripts and file edits, here or at the target it was set up "
         "for (a container, another machine). The shell of a task keeps its directory and "
         "variables from call to call. Commands that take longer than yield_ms go on in the "
         "background: the answer has a session_id, by which the process tool waits for them, "
         "reads their output and ends them; they outlive this server. Dangerous commands need a "
         "person's approval; an answer with an approval_id says how.";
}

json::object tool_result(std::string_view tool, json::object answer) {
  if (tool == "process" && text_field(answer, "status") == "not_found") {
    answer.emplace("note", kGone);
  }
  const bool failed = tells_of_error(answer);
  json::array content{json::object{{"type", "text"}, {"text", to_line(answer)}}};
  for (json::object& link : resource_links(tool, answer)) content.push_back(std::move(link));
  json::object result{{"content", std::move(content)}, {"structuredContent", std::move(answer)}};
  if (failed) result["isError"] = true;
  return result;
}

json::object tool_error(std::string_view message) {
  return tool_result("", json::object{{"error", message}});
}

std::optional<std::string> pending_approval(const json::object& answer) {
  const json::value* pending = answer.if_contains("approval_pending");
  if (!pending || *pending != true) return std::nullopt;
  return text_field(answer, "approval_id");
}

}  // namespace talaria::front::mcp
