#include "front/mcp/tool_schemas.h"

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

// Facts about a tool besides its description and arguments.
struct ToolFacts {
  std::string_view name;
  std::string_view title;
  bool reads_only = false;
  bool destroys = false;
  bool repeatable = false;  // idempotent
  bool open_world = false;  // it may access the network
  bool gives_much = false;  // its results are long and should not be cut
};

constexpr std::array kFacts{
    ToolFacts{.name = "terminal",
              .title = "Run a shell command",
              .destroys = true,
              .open_world = true,
              .gives_much = true},
    ToolFacts{.name = "process",
              .title = "Manage background processes",
              .destroys = true,
              .gives_much = true},
    ToolFacts{.name = "read_file",
              .title = "Read a file",
              .reads_only = true,
              .repeatable = true,
              .gives_much = true},
    ToolFacts{.name = "write_file", .title = "Write a file", .destroys = true, .repeatable = true},
    ToolFacts{
        .name = "search_files", .title = "Search files", .reads_only = true, .repeatable = true},
    ToolFacts{.name = "patch", .title = "Change files", .destroys = true},
    ToolFacts{.name = "execute_code",
              .title = "Run a Python script that calls tools",
              .destroys = true,
              .open_world = true},
    ToolFacts{.name = "web_search",
              .title = "Search the web",
              .reads_only = true,
              .repeatable = true,
              .open_world = true},
    ToolFacts{.name = "web_extract",
              .title = "Read web pages",
              .reads_only = true,
              .repeatable = true,
              .open_world = true},
};

// Claude Code cuts results unless a tool asks for a larger size.
constexpr std::string_view kMaxSizeName = "anthropic/maxResultSizeChars";
constexpr int kMaxSize = 200'000;

constexpr std::string_view kTaskProperty = R"({
  "type": "string",
  "description": "Name of a session, which calls with the same name share. Default: your own."
})";

constexpr std::string_view kYieldProperty = R"({
  "type": "integer",
  "description": "Milliseconds to wait (default 10000). Then it continues in the background, with a session_id. 0: wait until its timeout."
})";

constexpr std::string_view kTimeoutProperty = R"({
  "type": "integer",
  "description": "Seconds. Then the command and everything it started are killed. Default: no limit, because it continues in the background."
})";

constexpr std::string_view kScriptYieldProperty = R"({
  "type": "integer",
  "description": "Milliseconds to wait (default 10000). Then it continues; process wait, poll and kill take its session_id. 0: wait until its timeout."
})";

constexpr const char* kInstructions =
    "Talaria runs shell commands, scripts and file edits, on this machine or at a configured "
    "target "
    "(a container, another machine). The shell of a task keeps its directory and variables between "
    "calls. A command that takes longer than yield_ms continues in the background: the answer has "
    "a "
    "session_id, with which the process tool waits for it, reads its output and ends it. "
    "Background "
    "processes keep running when this server ends. What you asked to be notified of is in "
    "`notices` of a later answer. Dangerous commands need the approval of a "
    "person; "
    "an answer with an approval_id says how to get it.";

json::object input_schema(const ToolInfo& tool) {
  json::object schema = json::parse(tool.schema).as_object();
  json::object& properties = schema["properties"].as_object();
  if (tool.name == "terminal") {
    properties["yield_ms"] = json::parse(kYieldProperty);
    properties["timeout"] = json::parse(kTimeoutProperty);
  }
  if (tool.name == "process") {
    properties["timeout"].as_object()["description"] =
        "wait: seconds (default " + std::to_string(kDefaultWaitSeconds) + ").";
  }
  if (tool.name == "execute_code") properties["yield_ms"] = json::parse(kScriptYieldProperty);
  if (!tool.name.starts_with("web_")) properties["task"] = json::parse(kTaskProperty);
  return schema;
}

// Only what differs from the defaults of the protocol: every client sends the list to its model.
json::object annotations(const ToolFacts& facts) {
  json::object hints;
  if (facts.reads_only) hints["readOnlyHint"] = true;
  if (!facts.reads_only && !facts.destroys) hints["destructiveHint"] = false;
  if (!facts.reads_only && facts.repeatable) hints["idempotentHint"] = true;
  if (!facts.open_world) hints["openWorldHint"] = false;
  return hints;
}

json::object described(const ToolInfo& tool, const ToolFacts& facts) {
  json::object described{{"name", tool.name},
                         {"title", facts.title},
                         {"description", tool.description},
                         {"inputSchema", input_schema(tool)}};
  if (json::object hints = annotations(facts); !hints.empty()) {
    described["annotations"] = std::move(hints);
  }
  if (facts.gives_much) described["_meta"] = {{kMaxSizeName, kMaxSize}};
  return described;
}

// For an unknown handle.
constexpr std::string_view kGone =
    "It never existed, or it has ended and expired: only the most recent ended processes are "
    "stored, "
    "for a limited time. Start the command again.";

// Errors that a model can act on. A command that ran and failed is not an error.
bool is_error(const json::object& answer) {
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

McpOffer product_offer() {
  return {.instructions = kInstructions,
          .tools = mcp_tools(),
          .templates = resource_templates(),
          .logs = true};
}

json::object tool_result(std::string_view tool, json::object answer) {
  if (tool == "process" && text_field(answer, "status") == "not_found") {
    answer.emplace("note", kGone);
  }
  const bool failed = is_error(answer);
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
