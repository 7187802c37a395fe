// Exec: a command for a person at a terminal, who sees its output as it comes. It goes the way of a
// tool call, without what is there for models: no default timeout and no cap, no truncation.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/cancel.h"
#include "base/task.h"
#include "host/host.h"
#include "tools/run_command.h"

namespace talaria {

namespace json = boost::json;

struct ExecRequest {
  std::vector<std::string> words;        // see command_text()
  std::optional<std::string> task;       // absent: the caller's directory, and no state is kept
  std::optional<std::string> workdir;    // relative to the caller's directory, or the session's
  std::chrono::milliseconds timeout{0};  // 0: none
  std::optional<std::string> stdin_data;
  std::function<void(std::string_view)> on_output;  // absent: the output comes with the outcome
};

// One word is shell text as it is; several are quoted each and joined, so that each arrives as one.
std::string command_text(const std::vector<std::string>& words);

Task<CommandRun> exec(Host& host, ExecRequest request, CancelToken cancel);

// The JSON of tools/command_result.h for what exec() returned.
json::object describe_exec(const CommandRun& run, const Host& host,
                           std::chrono::milliseconds timeout);

}  // namespace talaria
