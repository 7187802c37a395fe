// ProcessSpec: what a command is to be once nobody waits for it any more.
#pragma once

#include <talaria/process.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace talaria::environment {

// What the caller allows at one target.
struct ProcessCaps {
  std::uint64_t running = 0;  // 0: as many as the runner does
  std::uint64_t terminals = 0;
  std::uint64_t finished = 0;              // that have ended and are still kept
  std::chrono::milliseconds retention{0};  // how long after their end
};

struct ProcessSpec {
  bool takes_input = false;
  std::optional<ScreenSize> terminal;
  Lifespan lifespan = Lifespan::session;
  std::chrono::milliseconds max_age{0};  // 0: any
  bool notify = false;
  std::vector<std::string> watch_patterns;
  std::string session_key;
  ProcessCaps caps;
  // Called with the id once the request is on its way to a runner that is connected: time to do
  // what can be done until the answer is there. Of several attempts only the last one counts.
  std::function<void(const std::string& id)> on_sent = nullptr;
};

}  // namespace talaria::environment
