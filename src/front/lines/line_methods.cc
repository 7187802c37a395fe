#include "front/lines/line_methods.h"

#include <talaria/command.h>

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>

#include "base/limits.h"

namespace talaria::front::lines {
namespace {

using Methods = std::span<const Method>;

// In the order in which they are listed.
std::array<Methods, 10> all_methods() {
  return {basic_methods(),   exec_methods(), session_methods(), env_methods(),
          process_methods(), file_methods(), sandbox_methods(), approval_methods(),
          agent_methods(),   event_methods()};
}

}  // namespace

const Method* find_method(std::string_view name) {
  for (const Methods methods : all_methods()) {
    const auto found = std::ranges::find(methods, name, &Method::name);
    if (found != methods.end()) return &*found;
  }
  return nullptr;
}

std::string method_names(bool sees_all) {
  std::string names;
  for (const Methods methods : all_methods()) {
    for (const Method& one : methods) {
      if (one.of_home && !sees_all) continue;
      names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
  }
  return names;
}

std::size_t LineServices::waiting_input() const {
  std::size_t bytes = 0;
  for (const auto& [key, request] : requests) {
    if (request->input()) bytes += request->input()->waiting();
  }
  return bytes;
}

Watcher preparing_watcher(const MethodCall& call, const std::string& task) {
  return {.preparing = [weak = std::weak_ptr(call.request), task,
                        runtime = &call.services.runtime](std::string_view text) {
    const auto request = weak.lock();
    const bool waits = task.empty() || !runtime->has_environment(task);
    if (request && waits) request->send({{"preparing", text}});
  }};
}

AsioWatch watch_preparing(const MethodCall& call) {
  return AsioWatch(call.services.runtime, preparing_watcher(call, ""));
}

Result<std::uint64_t> window_of(const LineParams& params) {
  return params.whole_within("window", kUsualWindow, kLeastWindow, kMostWindow);
}

Result<std::string> command_of(const LineParams& params) {
  const bool has_text = params.has("command");
  if (has_text == params.has("argv")) {
    return fail(ErrorKind::bad_request,
                "params: give either command (shell text) or argv (a list)");
  }
  if (has_text) return params.text("command");
  const std::vector<std::string> argv = params.texts("argv");
  if (argv.empty()) return fail(param_error("argv", "expected at least one string"));
  return quote_arguments(argv);
}

Result<std::vector<std::string>> variables_of(const LineParams& params) {
  std::vector<std::string> variables = params.variables("env");
  for (const std::string& variable : variables) {
    if (variable.starts_with('=')) return fail(param_error("env", "a name is empty"));
  }
  if (const auto home = params.given_text("home")) variables.push_back("HOME=" + *home);
  return variables;
}

json::array shown_leftovers(const std::vector<Leftover>& survivors) {
  json::array list;
  for (const Leftover& one : survivors) {
    list.push_back({{"pid", one.pid}, {"name", one.name}, {"reason", one.reason}});
  }
  return list;
}

Task<Result<LinePlace>> place_of(MethodCall& call) {
  const std::string task = call.params.text("task");
  const std::string sandbox = call.params.text("sandbox");
  if (!task.empty() && !sandbox.empty()) {
    co_return fail(ErrorKind::bad_request, "params: name a task or a sandbox, not both");
  }
  co_return co_await call.services.places.find(task, sandbox);
}

}  // namespace talaria::front::lines
