// What the engine of a container keeps of its files on this machine, for the next container of the
// same task. A sandbox has none: when it is gone they would only fill the disk.
#pragma once

#include <string>

#include "base/task.h"
#include "host/config.h"

namespace talaria {

// As far as they are ours to remove; nothing else is touched. `target`: "docker", "podman",
// "singularity" or "modal".
Task<void> remove_kept_files(host::Config config, std::string target, std::string sandbox);

}  // namespace talaria
