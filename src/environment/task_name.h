// The name of a task in names of containers and directories: never a path, and unique to the task.
// No I/O here.
#pragma once

#include <string>
#include <string_view>

namespace talaria::environment {

// Whether it may be in the names of containers, labels and sandboxes: letters, digits, _ . and -.
bool is_name_character(char c);

// An ordinary id is its own name, so that upstream Hermes finds the same container.
std::string task_name(std::string_view task);

}  // namespace talaria::environment
