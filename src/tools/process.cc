#include "tools/process.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <boost/algorithm/string/replace.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "policy/file_rules.h"
#include "tools/arguments.h"
#include "tools/files/file_approval.h"
#include "tools/files/file_call.h"
#include "tools/process_call.h"

namespace talaria::tool {
namespace {

struct Action {
  std::string_view name;
  Task<json::object> (*run)(ProcessCall call);
};

constexpr auto kActions = std::to_array<Action>({{"list", list_processes},
                                                 {"poll", poll_process},
                                                 {"log", log_process},
                                                 {"wait", wait_process},
                                                 {"kill", kill_process},
                                                 {"write", write_process},
                                                 {"submit", submit_process},
                                                 {"close", close_process},
                                                 {"read", read_process},
                                                 {"signal", signal_process},
                                                 {"resize", resize_process},
                                                 {"screen", show_screen}});

std::string action_names() {
  std::string names;
  for (const Action& action : kActions) {
    names += (names.empty() ? "" : ", ") + std::string(action.name);
  }
  return names;
}

// As a text, whatever it was: models send numbers for ids.
std::string text_of(const json::object& arguments, std::string_view name) {
  const json::value* value = given(arguments, name);
  if (!value) return "";
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

json::object error_only(std::string_view error) { return {{"error", sanitize_utf8(error)}}; }

// What was put aside (persisted_path, full_output_path) is read by its path, as read_file may.
bool names_file(std::string_view action, std::string_view id) {
  return action == "read" && id.starts_with('/');
}

// Where such a path leads. An error says why it is not read.
Task<Result<std::string>> readable_file(ToolCall& call, std::string path) {
  if (const auto denied = policy::device_denied(path, path))
    co_return fail(ErrorKind::denied, *denied);
  const auto files = co_await FileCall::open(call);
  if (!files) co_return fail(files.error());
  const auto file = co_await files->locate(path);
  if (!file) co_return fail(file.error());
  if (const auto denied = files->read_denied(*file)) co_return fail(ErrorKind::denied, *denied);
  FileApproval approval(*files, "process read", {{.act = policy::FileAct::read, .file = &*file}},
                        {});
  if (const auto refused = co_await approval.refusal()) {
    co_return fail(ErrorKind::denied, text_field(*refused, "error"));
  }
  if (file->is_regular) co_return file->real();
  co_return fail(ErrorKind::bad_request,
                 path + (file->found ? " is not a regular file" : ": no such file"));
}

}  // namespace

json::object describe_error(std::string_view status, std::string_view error) {
  return {{"status", status}, {"error", sanitize_utf8(error)}};
}

json::object describe_error(const ProcessCall& call, const Error& error) {
  if (error.kind() == ErrorKind::not_found) {
    return describe_error("not_found", "No process with ID " + call.process.id());
  }
  return describe_error("error", error.message());
}

std::string process_schema(const host::Config& config,
                           const std::optional<std::vector<std::string>>& /*tools*/) {
  std::string schema(kProcessSchema);
  boost::algorithm::replace_all(schema, "{usual}", std::to_string(config.timeout.count()));
  return schema;
}

Task<json::object> process(ToolCall call) {
  const std::string name = text_of(call.arguments, "action");
  const auto action = std::ranges::find(kActions, name, &Action::name);
  if (action == kActions.end()) {
    co_return error_only(name.empty()
                             ? "process: missing required argument 'action'. Use: " + action_names()
                             : "Unknown process action: " + name + ". Use: " + action_names());
  }
  const std::string id = text_of(call.arguments, "session_id");
  if (id.empty() && name != "list") co_return error_only("session_id is required for " + name);
  if (!call.config) co_return describe_error("error", call.config.error().message());
  std::string file;
  if (names_file(name, id)) {
    auto readable = co_await readable_file(call, id);
    if (!readable) co_return describe_error("error", readable.error().message());
    file = std::move(*readable);
  }
  host::Environments& environments = call.services.environments;
  const auto environment = id.empty() ? co_await environments.get(call.task(), *call.config)
                                      : co_await environments.of_process(id, call.task());
  if (!environment) co_return describe_error("error", environment.error().message());
  BackgroundProcess process(call.services, *environment, name == "list" ? "" : id);
  co_return co_await action->run({.process = std::move(process),
                                  .ledger = call.services.journal.ledger(),
                                  .config = *call.config,
                                  .arguments = std::move(call.arguments),
                                  .cancel = call.cancel,
                                  .on_progress = call.context.on_progress,
                                  .file = std::move(file)});
}

}  // namespace talaria::tool
