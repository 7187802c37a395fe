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
  std::string module;             // that it imports to call tools
  std::uint64_t error_limit = 0;  // bytes of its standard error that are returned
  // Answers one line that the script, or a child of it, has sent; the answer may be empty. Several
  // may run at the same time. Cancelled when the script has ended.
  std::function<Task<std::string>(std::string line, CancelToken cancel)> answer;
};

}  // namespace talaria::environment
