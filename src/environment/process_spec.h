// ProcessSpec: the settings of a background process.
#pragma once

#include <talaria/process.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace talaria::environment {

// Limits of the caller for one target.
struct ProcessCaps {
  std::uint64_t running = 0;  // 0: the limit of the runner
  std::uint64_t terminals = 0;
  std::uint64_t finished = 0;              // ended ones that are still listed
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
  bool changes_session = false;  // as a command in the foreground does
  bool login = false;            // a new session begins with its login files, also in start_as()
  ProcessCaps caps;
  // Called with the id once the request was sent to a connected runner, so that the caller can work
  // while it waits. Of several attempts only the last one counts.
  std::function<void(const std::string& id)> on_sent = nullptr;
};

}  // namespace talaria::environment
