// Where the home and the workspace of a task's containers are on this machine.
#pragma once

#include <string>

#include "environment/task_name.h"

namespace talaria::environment::docker {

inline std::string task_directory(const std::string& sandbox_dir, const std::string& task) {
  return sandbox_dir + "/docker/" + task_name(task);
}

}  // namespace talaria::environment::docker
