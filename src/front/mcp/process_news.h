// ProcessNews: what an MCP client asked to be notified of (notify_on_complete, watch_patterns). An
// event is kept until a result carries it, because few clients show notifications to their model.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/json/object.hpp>

#include "api/asio_processes.h"
#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/task_group.h"

namespace talaria::front::mcp {

namespace json = boost::json;

class ProcessNews {
 public:
  // `runtime` outlives it. `consumer`: the name under which the home remembers what was delivered.
  // Events from before then count, too. Empty: only events after the first follow().
  ProcessNews(const asio::any_io_executor& executor, AsioRuntime& runtime, std::string consumer);
  ProcessNews(const ProcessNews&) = delete;
  ProcessNews& operator=(const ProcessNews&) = delete;

  // From now on, events of the processes of this task count.
  void follow(const std::string& task);
  bool has_memory() const { return !consumer_.empty(); }
  // Called with each of them as it comes.
  void on_event(std::function<void(const json::object& event)> action) {
    on_event_ = std::move(action);
  }

  // The texts of those that came, oldest first; each is returned once. The end of `process` is left
  // out: the result reports it.
  std::vector<std::string> take(std::string_view process);

  void close() { cancel_.cancel(); }
  Task<void> ended() { return tasks_.ended(); }

 private:
  Task<void> receive();
  Task<void> acknowledge();
  bool add(const ProcessEvent& event);

  AsioProcesses processes_;
  std::string consumer_;
  std::set<std::string> tasks_followed_;
  std::deque<json::object> events_;
  std::uint64_t last_ = 0;  // the newest event that came
  std::function<void(const json::object&)> on_event_;
  Cancel cancel_;
  TaskGroup tasks_;
};

// The answer of a tool with `news` at its head, among its notices.
json::object with_news(const std::vector<std::string>& news, json::object answer);

}  // namespace talaria::front::mcp
