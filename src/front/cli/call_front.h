// `talaria call TOOL JSON`: one tool call, its result as one line of JSON.
#pragma once

#include <talaria/asio.h>

#include <string>
#include <vector>

#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::cli {

inline constexpr int kCallFailed = 1;  // the result has an error
inline constexpr int kBadUsage = 2;

struct CallOptions {
  std::string tool;
  std::string arguments;  // JSON text
  std::string task;       // empty: the default one
  bool json = false;      // what is wrong with the call is told in JSON, too
  std::vector<GivenSetting> settings;
};

// A stop signal cancels the call; its result is still printed.
Task<int> call_front(AsioRuntime& runtime, CallOptions options, Stdio stdio);

}  // namespace talaria::front::cli
