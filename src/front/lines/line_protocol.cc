#include "front/lines/line_protocol.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "front/error_json.h"
#include "json/json_text.h"

namespace talaria::front::lines {
namespace {

constexpr std::string_view kNoKey = "null";

SendLine refusal(std::string_view key, const Error& error) {
  return {"{\"id\":" + std::string(key) + ",\"error\":" + to_line(front::describe(error)) + "}\n"};
}

SendLine success(std::string_view key, const json::object& result) {
  return {"{\"id\":" + std::string(key) + ",\"result\":" + to_line(result) + "}\n"};
}

Error bad_request(std::string message) { return Error(ErrorKind::bad_request, std::move(message)); }

// An id as a key.
Result<std::string> read_key(const json::value* id, std::string_view name) {
  if (!id) return fail(bad_request("a request requires \"id\": a string or a whole number"));
  if (!id->is_string() && !id->is_int64() && !id->is_uint64()) {
    return fail(bad_request(std::string(name) + ": expected a string or a whole number"));
  }
  return to_line(*id);
}

// An optional string; empty if it is absent or null.
Result<std::string> read_string(const json::object& request, std::string_view name) {
  const json::value* value = request.if_contains(name);
  if (!value || value->is_null()) return std::string();
  if (!value->is_string()) return fail(bad_request(std::string(name) + ": expected a string"));
  return std::string(value->get_string());
}

Result<std::string> read_task(const json::object& request) {
  Result<std::string> task = read_string(request, "task");
  if (task && task->size() > kMaxTaskBytes) {
    return fail(ErrorKind::limit, "task: " + std::to_string(task->size()) +
                                      " bytes, the limit is " + std::to_string(kMaxTaskBytes));
  }
  return task;
}

// An optional object, taken out of the request (it may be large); empty if it is absent or null.
Result<json::object> take_object(json::object& request, std::string_view name) {
  json::value* value = request.if_contains(name);
  if (!value || value->is_null()) return json::object();
  if (!value->is_object()) return fail(bad_request(std::string(name) + ": expected an object"));
  return std::move(value->get_object());
}

Result<std::optional<std::vector<std::string>>> read_tools(const json::object& request) {
  const json::value* value = request.if_contains("tools");
  if (!value || value->is_null()) return std::nullopt;
  const Error wrong = bad_request("tools: expected a list of tool names");
  if (!value->is_array()) return fail(wrong);
  std::vector<std::string> tools;
  for (const json::value& name : value->get_array()) {
    if (!name.is_string()) return fail(wrong);
    tools.emplace_back(name.get_string());
  }
  return tools;
}

Result<void> check_keys(const json::object& request,
                        std::initializer_list<std::string_view> known) {
  for (const auto& one : request) {
    if (std::ranges::find(known, std::string_view(one.key())) != known.end()) continue;
    std::string list;
    for (const std::string_view name : known)
      list += (list.empty() ? "" : ", ") + std::string(name);
    return fail(bad_request("unknown key \"" +
                            sanitize_utf8(first_bytes(one.key(), kShownKeyBytes)) +
                            "\"; such a request has " + list));
  }
  return {};
}

Result<LineAction> read_method(const std::string& key, json::object& request, std::size_t bytes) {
  if (const auto known = check_keys(request, {"id", "method", "params"}); !known) {
    return fail(known.error());
  }
  const Result<std::string> method = read_string(request, "method");
  if (!method) return fail(method.error());
  Result<json::object> params = take_object(request, "params");
  if (!params) return fail(params.error());
  return AskMethod{key, *method, std::move(*params), bytes};
}

Result<LineAction> read_call(const std::string& key, json::object& request, std::size_t bytes) {
  const auto known = check_keys(request, {"id", "tool", "args", "task", "sandbox", "session_key",
                                          "tools", "tool_call_id", "turn"});
  if (!known) return fail(known.error());
  const Result<std::string> tool = read_string(request, "tool");
  if (!tool) return fail(tool.error());
  Result<json::object> arguments = take_object(request, "args");
  if (!arguments) return fail(arguments.error());
  const Result<std::string> task = read_task(request);
  if (!task) return fail(task.error());
  const Result<std::string> sandbox = read_string(request, "sandbox");
  if (!sandbox) return fail(sandbox.error());
  if (!task->empty() && !sandbox->empty()) {
    return fail(bad_request("name a task or a sandbox, not both"));
  }
  const Result<std::string> session_key = read_string(request, "session_key");
  if (!session_key) return fail(session_key.error());
  Result<std::optional<std::vector<std::string>>> tools = read_tools(request);
  if (!tools) return fail(tools.error());
  const Result<std::string> id = read_string(request, "tool_call_id");
  if (!id) return fail(id.error());
  const Result<std::string> turn = read_string(request, "turn");
  if (!turn) return fail(turn.error());
  return StartCall{.key = key,
                   .tool = *tool,
                   .arguments = std::move(*arguments),
                   .context = {.task = *task,
                               .session_key = *session_key,
                               .tools = std::move(*tools),
                               .id = *id,
                               .turn = *turn},
                   .sandbox = *sandbox,
                   .bytes = bytes};
}

}  // namespace

std::vector<LineAction> LineProtocol::feed(std::string_view bytes) {
  std::vector<LineAction> actions;
  lines_.feed(bytes, sink(actions));
  return actions;
}

std::vector<LineAction> LineProtocol::end() {
  std::vector<LineAction> actions;
  lines_.end(sink(actions));
  return actions;
}

LineSplitter::Sink LineProtocol::sink(std::vector<LineAction>& actions) {
  return {.line = [this, &actions](std::string_view line) { take_line(line, actions); },
          .too_long =
              [this, &actions] {
                const std::string what = "line " + std::to_string(lines_.next_number()) +
                                         ": longer than the limit of " +
                                         std::to_string(lines_.max_line()) + " bytes; ignored";
                actions.push_back(refusal(kNoKey, Error(ErrorKind::limit, what)));
              }};
}

void LineProtocol::take_line(std::string_view line, std::vector<LineAction>& actions) {
  if (trim(line).empty()) return;
  ParsedJson parsed = parse_json(line);
  const std::string place = "line " + std::to_string(lines_.line_number()) + ": ";
  if (!parsed.value) {
    const json::object* readable = parsed.readable ? parsed.readable->if_object() : nullptr;
    const Result<std::string> key =
        read_key(readable ? readable->if_contains("id") : nullptr, "id");
    const bool known = key && !under_way_.contains(*key);
    actions.push_back(refusal(known ? std::string_view(*key) : kNoKey,
                              bad_request(place + parsed.value.error().message())));
  } else if (!parsed.value->is_object()) {
    actions.push_back(refusal(kNoKey, bad_request(place + "expected an object")));
  } else {
    take_request(parsed.value->get_object(), line.size(), actions);
  }
}

void LineProtocol::take_request(json::object& request, std::size_t bytes,
                                std::vector<LineAction>& actions) {
  const Result<std::string> key = read_key(request.if_contains("id"), "id");
  if (!key) {
    actions.push_back(refusal(kNoKey, bad_request("line " + std::to_string(lines_.line_number()) +
                                                  ": " + key.error().message())));
    return;
  }
  const json::value* cancel = request.if_contains("cancel");
  const bool is_call = request.contains("tool");
  const bool is_method = request.contains("method");
  if (is_call + is_method + (cancel != nullptr) != 1) {
    actions.push_back(refusal(
        *key, bad_request("a request has exactly one of \"tool\", \"cancel\" and \"method\"")));
  } else if (cancel) {
    take_cancel(*key, *cancel, actions);
  } else {
    Result<LineAction> action =
        is_call ? read_call(*key, request, bytes) : read_method(*key, request, bytes);
    if (action && !under_way_.insert(*key).second) {
      action = fail(bad_request("id " + *key + " is already used by a request in progress"));
    }
    actions.push_back(action ? std::move(*action) : refusal(*key, action.error()));
  }
}

void LineProtocol::take_cancel(const std::string& key, const json::value& call,
                               std::vector<LineAction>& actions) {
  const Result<std::string> target = read_key(&call, "cancel");
  if (!target) {
    actions.push_back(refusal(key, target.error()));
    return;
  }
  const bool known = under_way_.contains(*target);
  actions.push_back(success(key, {{"cancelled", known}}));
  if (known) actions.push_back(CancelCall{*target});
}

std::string LineProtocol::part(const std::string& key, const json::object& part) {
  return "{\"id\":" + key + ",\"part\":" + to_line(part) + "}\n";
}

std::string LineProtocol::answer(const std::string& key, const Result<json::object>& result) {
  under_way_.erase(key);
  return (result ? success(key, *result) : refusal(key, result.error())).line;
}

}  // namespace talaria::front::lines
