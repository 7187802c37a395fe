// The socket of a container's runner, in the directory of this machine that is mounted as the home
// of the container: a direct connection to the runner that does not go through the engine. It
// exists only if the engine shares this machine's kernel and we may enter that directory.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/task.h"
#include "link/driver.h"
#include "os/unique_fd.h"

namespace talaria::environment::docker {

struct RunnerSocket {
  std::string home;       // on this machine; its content is controlled by the container
  std::string runner;     // the runner's directory, below the home
  std::string container;  // its name, for people
};

// Nothing if no runner answers at once: it may be paused with its container, which only the engine
// knows.
Task<std::optional<link::ByteStream>> connect_to(RunnerSocket socket);

// The same for a runner that is being started: waits for it, so long at most.
Task<std::optional<link::ByteStream>> connect_soon(RunnerSocket socket,
                                                   std::chrono::milliseconds patience);

// Another socket in its directory.
Result<os::UniqueFd> open_beside(const RunnerSocket& socket, const std::string& name);

}  // namespace talaria::environment::docker
