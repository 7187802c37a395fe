// The files that the engine of a container stores on this machine for the next container of the
// same task. A terminated sandbox has no next one, so they are removed with it.
#pragma once

#include <string>

#include "base/task.h"
#include "host/config.h"

namespace talaria {

// Errors are ignored. `target`: "docker", "podman",
// "singularity" or "modal".
Task<void> remove_engine_files(host::Config config, std::string target, std::string sandbox);

}  // namespace talaria
