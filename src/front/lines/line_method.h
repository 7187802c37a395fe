// Method: a method of JSON lines: its name, its parameters, and what carries it out. All of them
// are in one table (line_methods.h), which refuses invalid parameters before a method sees them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "api/asio_runtime.h"
#include "api/asio_watch.h"
#include "base/result.h"
#include "base/task.h"
#include "front/lines/line_approvals.h"
#include "front/lines/line_events.h"
#include "front/lines/line_params.h"
#include "front/lines/line_places.h"
#include "front/lines/line_request.h"
#include "front/lines/line_sudo.h"
#include "front/lines/line_tools.h"

namespace talaria::front::lines {

// What the requests of one client share. It belongs to the runtime's loop.
struct LineServices {
  AsioRuntime& runtime;
  LinePlaces& places;
  std::function<void(Task<void>)> start;  // runs a task that they outlive
  LineEvents events;
  LineApprovals approvals;
  LineSudo sudo;
  LineTools tools;
  std::map<std::string, std::shared_ptr<LineRequest>, std::less<>> requests = {};  // in progress

  // Of bytes that clients give requests which do not take them now.
  std::size_t waiting_input() const;
};

struct MethodCall {
  LineServices& services;
  LineParams params;
  std::shared_ptr<LineRequest> request;
};

struct Method {
  enum class Pace {
    at_once,  // answered before the next line is read
    soon,     // waits for something, but costs little
    work,     // counts among the calls that run at the same time
  };

  std::string_view name;
  std::string_view params;  // as line_params.h says
  Pace pace = Pace::at_once;
  Result<json::object> (*answer)(MethodCall& call) = nullptr;    // at once
  Task<Result<json::object>> (*run)(MethodCall call) = nullptr;  // else
  bool (*takes_input)(const LineParams& params) = nullptr;       // by stream.write; null: no
  // It is about all of a home: only for those who see that (LinePlaces::sees_all).
  bool of_home = false;
};

constexpr Method method_at_once(std::string_view name, std::string_view params,
                                Result<json::object> (*answer)(MethodCall&)) {
  return {.name = name, .params = params, .answer = answer};
}
// Of one for those who see all of a home.
constexpr Method of_home(Method method) {
  method.of_home = true;
  return method;
}
constexpr Method method_soon(std::string_view name, std::string_view params,
                             Task<Result<json::object>> (*run)(MethodCall)) {
  return {.name = name, .params = params, .pace = Method::Pace::soon, .run = run};
}
constexpr Method method_work(std::string_view name, std::string_view params,
                             Task<Result<json::object>> (*run)(MethodCall)) {
  return {.name = name, .params = params, .pace = Method::Pace::work, .run = run};
}

// How much output the client allows ahead of what it has taken.
Result<std::uint64_t> window_of(const LineParams& params);

// The shell text of `command` or `argv`, and the variables of `env` and `home`.
Result<std::string> command_of(const LineParams& params);
Result<std::vector<std::string>> variables_of(const LineParams& params);

// Processes that could not be ended.
json::array shown_leftovers(const std::vector<Leftover>& leftovers);

// Sends parts that say what is prepared, as long as the task has no environment; empty: always.
Watcher preparing_watcher(const MethodCall& call, const std::string& task);
AsioWatch watch_preparing(const MethodCall& call);

// The place that `task` and `sandbox` of the parameters name.
Task<Result<LinePlace>> place_of(MethodCall& call);

}  // namespace talaria::front::lines
