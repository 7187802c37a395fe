// --task NAME, which several commands have.
#pragma once

#include <string>
#include <utility>

#include "base/limits.h"
#include "front/cli/command_info.h"

namespace talaria::front::cli {

inline Option task_option(std::string_view meaning) { return {"--task", "NAME", meaning}; }

inline Result<std::string> read_task(const Given& given, std::string_view name = "--task") {
  std::string task = given.value(name);
  if (task.empty() || task.size() > kMaxTaskBytes) {
    return fail(ErrorKind::bad_request,
                std::string(name) + ": expected 1 to " + std::to_string(kMaxTaskBytes) + " bytes");
  }
  return task;
}

// What `options` becomes with the task that was given, if one was.
template <class Options>
Result<CommandLine> with_task(const Given& given, Options options) {
  if (given.has("--task")) {
    Result<std::string> task = read_task(given);
    if (!task) return fail(task.error());
    options.task = std::move(*task);
  }
  return options;
}

}  // namespace talaria::front::cli
