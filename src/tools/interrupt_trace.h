// InterruptTrace: for HERMES_DEBUG_INTERRUPT. Writes lines to standard error about the wait for a
// command: when it begins, every half minute, and when it ends.
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
