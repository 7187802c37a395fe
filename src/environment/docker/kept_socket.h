// The socket of a container's runner, seen through the home that this machine keeps for the
// container: a way to the runner past the engine, with nothing in between. It is there only if the
// engine shares this machine's kernel and we may enter that home; all else goes through the engine.
#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "link/driver.h"

namespace talaria::environment::docker {

struct KeptSocket {
  std::string home;       // on this machine. What is in it is the container's doing
  std::string runner;     // the runner's directory, below the home
  std::string container;  // what people call it
};

// Nothing if there is no runner that answers at once: it may be paused with its container, which
// only the engine can tell.
Task<std::optional<link::ByteStream>> connect_to(KeptSocket socket);

}  // namespace talaria::environment::docker
