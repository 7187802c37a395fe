// Where the home and the workspace of containers are on this machine. A container that waits in a
// pool has a directory of its own, which becomes the directory of the task that gets it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "environment/environment_spec.h"
#include "environment/task_name.h"

namespace talaria::environment::docker {

inline std::string task_directory(const std::string& sandbox_dir, const std::string& task) {
  return sandbox_dir + "/docker/" + task_name(task);
}

// No task has such a name: what follows the @ there are 16 hex digits.
std::string pool_directory_prefix(const std::string& target);
std::string pool_directory(const std::string& sandbox_dir, const std::string& target,
                           const std::string& container);

// For a new container of this name: its directory, and the one of its runner in its home.
std::string directory_of(const EnvironmentSpec& spec, const std::string& container);
std::string runner_of(const EnvironmentSpec& spec, const std::string& container);

// Containers of a task share a home, one after the other, so each has a directory of its own in it,
// and takes over what the last one left. What the names of these begin with:
std::string runners_of_task(const EnvironmentSpec& spec);
inline constexpr std::string_view kPoolRunners = "run-pool-";

// Renames `pool` to `task`. `pool` is a link to it afterwards, because the container was made with
// that path. Nothing happens if that is so already. Fails if `task` is something else.
Result<void> hand_over_directory(const std::string& pool, const std::string& task);

// The same for the directory of a runner in the home `home` of a container.
Result<void> hand_over_runner(const std::string& home, const std::string& pool,
                              const std::string& task);

// With what is in it; of one that a task has got only the link.
void remove_pool_directory(const EnvironmentSpec& spec, const std::string& container);
void remove_pool_directory(const std::string& path);

}  // namespace talaria::environment::docker
