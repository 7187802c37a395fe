#include "front/lines/line_tools.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "front/lines/line_params.h"
#include "front/random_name.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::lines {
namespace {

// Words of Python that no function can be called.
constexpr auto kKeywords = std::to_array<std::string_view>(
    {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
     "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
     "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
     "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"});

bool is_function_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxServedName || is_digit(name.front())) return false;
  if (name.starts_with('_') || std::ranges::find(kKeywords, name) != kKeywords.end()) return false;
  return std::ranges::all_of(
      name, [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '_'); });
}

Result<OwnTool> read_tool(const json::value& value) {
  const json::object* const object = value.if_object();
  if (!object) return fail(param_error("tools", "expected a list of objects with a name"));
  for (const auto& member : *object) {
    if (member.key() == "name" || member.key() == "description" || member.key() == "parameters") {
      continue;
    }
    return fail(param_error("tools", "unknown key \"" + sanitize_utf8(member.key()) +
                                         "\"; a tool has name, description and parameters"));
  }
  OwnTool tool{.name = text_field(*object, "name"),
               .description = text_field(*object, "description")};
  if (is_function_name(tool.name)) return tool;
  return fail(param_error(
      "tools", "'" + sanitize_utf8(tool.name) + "' cannot be the name of a function of Python"));
}

}  // namespace

Result<json::object> LineTools::serve(const json::array& tools) {
  if (tools.size() > kMaxServedTools) {
    return fail(ErrorKind::limit, "tools: at most " + std::to_string(kMaxServedTools));
  }
  auto served = std::make_shared<OwnTools>();
  for (const json::value& one : tools) {
    auto tool = read_tool(one);
    if (!tool) return fail(tool.error());
    served->tools.push_back(std::move(*tool));
  }
  served->call = [weak = std::weak_ptr(self_)](const OwnToolCall& asked, OwnToolReply reply) {
    if (const auto self = weak.lock()) return (*self)->call(asked, std::move(reply));
    reply(fail(ErrorKind::unavailable, "the client that serves the tool is gone"));
  };
  served_ = tools.empty() ? nullptr : std::move(served);
  return json::object();
}

void LineTools::call(const OwnToolCall& asked, OwnToolReply reply) {
  const std::string id = "tc_" + random_name();
  const ParsedJson arguments = parse_json(asked.arguments);
  const json::object event{
      {"type", "tool_called"},   {"id", id},
      {"tool", asked.tool},      {"args", arguments.value.value_or(json::object())},
      {"task", asked.task},      {"session_key", asked.session_key},
      {"tool_call_id", asked.id}};
  if (open_.size() >= kMaxServedCalls) {
    return reply(fail(ErrorKind::limit, "too many calls of own tools wait for an answer"));
  }
  if (!push_(to_line(json::object{{"event", event}}) + "\n")) {
    return reply(fail(ErrorKind::unavailable, "the client that serves the tool does not read"));
  }
  open_.emplace(id, std::move(reply));
}

Result<json::object> LineTools::answer(const std::string& id, Result<std::string> result) {
  const auto found = open_.find(id);
  if (found == open_.end()) {
    return fail(ErrorKind::not_found, "no call '" + id + "' waits for an answer");
  }
  const OwnToolReply reply = std::move(found->second);
  open_.erase(found);
  reply(std::move(result));
  return json::object();
}

void LineTools::end() {
  for (const auto& [id, reply] : std::exchange(open_, {})) {
    reply(fail(ErrorKind::unavailable, "the client that serves the tool is gone"));
  }
}

}  // namespace talaria::front::lines
