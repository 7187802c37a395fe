#include "front/lines/line_methods.h"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>

namespace talaria::front::lines {
namespace {

using Methods = std::span<const Method>;

// In the order in which they are listed.
std::array<Methods, 7> all_methods() {
  return {basic_methods(),   exec_methods(),     session_methods(), env_methods(),
          process_methods(), approval_methods(), event_methods()};
}

}  // namespace

const Method* find_method(std::string_view name) {
  for (const Methods methods : all_methods()) {
    const auto found = std::ranges::find(methods, name, &Method::name);
    if (found != methods.end()) return &*found;
  }
  return nullptr;
}

std::string method_names() {
  std::string names;
  for (const Methods methods : all_methods()) {
    for (const Method& one : methods) {
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

Task<Result<LinePlace>> place_of(MethodCall& call) {
  const std::string task = call.params.text("task");
  const std::string sandbox = call.params.text("sandbox");
  if (!task.empty() && !sandbox.empty()) {
    co_return fail(ErrorKind::bad_request, "params: name a task or a sandbox, not both");
  }
  co_return co_await call.services.places.find(task, sandbox);
}

}  // namespace talaria::front::lines
