// LineEvents: the event subscriptions of a JSON-lines client. Each event is a line {"event":{...}}.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "api/asio_processes.h"
#include "base/result.h"
#include "base/task.h"
#include "front/lines/line_params.h"

namespace talaria::front::lines {

class LineEvents {
 public:
  // `push` sends a line; false: not now. `start` runs a task. Both outlive it.
  LineEvents(AsioRuntime& runtime, std::function<bool(std::string)> push,
             std::function<void(Task<void>)> start)
      : processes_(runtime), push_(std::move(push)), start_(std::move(start)) {}

  Result<json::object> subscribe(const LineParams& params);
  Result<json::object> unsubscribe(const LineParams& params);

  void end();  // ends all subscriptions

 private:
  Task<void> follow(EventOptions options, Cancel cancel);

  AsioProcesses processes_;
  std::function<bool(std::string)> push_;
  std::function<void(Task<void>)> start_;
  std::map<std::string, Cancel> subscribed_;  // by consumer
};

// events.ack, which waits while another program holds the store.
Task<Result<json::object>> acknowledge_event(AsioRuntime& runtime, LineParams params);

}  // namespace talaria::front::lines
