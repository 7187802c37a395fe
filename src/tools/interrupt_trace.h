// InterruptTrace: what HERMES_DEBUG_INTERRUPT asks for. Lines on standard error about one wait for
// a command: that it begins, every half minute that it goes on, and how it ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "tools/ticker.h"

namespace talaria::tool {

class InterruptTrace {
 public:
  // Says nothing unless `wanted`.
  InterruptTrace(const asio::any_io_executor& executor, bool wanted, std::string task,
                 CancelToken cancel);
  InterruptTrace(const InterruptTrace&) = delete;
  InterruptTrace& operator=(const InterruptTrace&) = delete;
  ~InterruptTrace();

 private:
  void say(const std::string& what) const;

  bool wanted_;
  std::string task_;
  CancelToken cancel_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<Ticker> heartbeat_;
};

}  // namespace talaria::tool
