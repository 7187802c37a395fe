#include "tools/interrupt_trace.h"

#include <cstdio>
#include <utility>

#include "base/text.h"

namespace talaria::tool {
namespace {

constexpr auto kHeartbeat = std::chrono::seconds(30);

}  // namespace

InterruptTrace::InterruptTrace(const asio::any_io_executor& executor, bool wanted, std::string task,
                               CancelToken cancel)
    : wanted_(wanted), task_(std::move(task)), cancel_(std::move(cancel)) {
  if (!wanted_) return;
  say("waits for its command");
  heartbeat_.emplace(executor, kHeartbeat, [this](std::chrono::seconds elapsed) {
    say("still waits, " + std::to_string(elapsed.count()) +
        "s; interrupted: " + (cancel_.cancelled() ? "yes" : "no"));
  });
}

InterruptTrace::~InterruptTrace() {
  if (!wanted_) return;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start_);
  say(std::string(cancel_.cancelled() ? "was interrupted" : "has its answer") + " after " +
      in_seconds(took) + "s");
}

void InterruptTrace::say(const std::string& what) const {
  const std::string line =
      "talaria: interrupt trace: task " + sanitize_utf8(task_) + " " + what + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace talaria::tool
