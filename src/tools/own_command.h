// Commands of our own at a target: part of what we do there for somebody, who has been let do that.
// Policy is not asked about them, and they use no session.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/output_flow.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "tools/tool.h"

namespace talaria::tool {

struct OwnCommand {
  std::string text = {};
  std::chrono::milliseconds timeout{300'000};  // 0: none
  std::size_t most = 8192;                     // of its output, bytes: beginning and end
  std::optional<std::string> stdin_data = {};
  std::optional<int> stdin_fd = {};  // borrowed
  // Gets what is printed to standard output; the result has standard error then.
  std::function<void(std::string_view)> on_output = {};
  std::shared_ptr<OutputFlow> flow = {};
};

// What it printed, without blanks at both ends. An Error (unavailable) with that text: it failed.
// What `services` refers to and `environment` outlive the call.
Task<Result<std::string>> run_own_command(const Services& services,
                                          environment::Environment& environment, OwnCommand command,
                                          CancelToken cancel);

// The same in the environment of a task.
Task<Result<std::string>> run_own_command(Services services, std::string task, std::string text);

}  // namespace talaria::tool
