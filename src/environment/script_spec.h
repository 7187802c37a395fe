// ScriptSpec: a script that calls tools while it runs, as a part of the command that starts it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/cancel.h"
#include "base/task.h"

namespace talaria::environment {

struct ScriptSpec {
  std::string source;
  std::string module;             // what it imports to call tools
  std::uint64_t error_limit = 0;  // bytes of its standard error that are kept
  // Answers one line that the script, or something it started, has sent, with what goes back; it
  // may be nothing. Several may be under way. Cancelled when the script has ended: then nobody
  // waits for the answer.
  std::function<Task<std::string>(std::string line, CancelToken cancel)> answer;
};

}  // namespace talaria::environment
