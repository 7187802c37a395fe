// Ticker: calls a function at an interval while it lives, with the time since its start.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"

namespace talaria::tool {

class Ticker {
 public:
  using Action = std::function<void(std::chrono::seconds elapsed)>;

  Ticker(const asio::any_io_executor& executor, std::chrono::milliseconds interval, Action action);
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker();

 private:
  struct State;
  static void wait(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace talaria::tool
