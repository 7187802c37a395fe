// What engines of containers store on this machine for the next container of a task.
#pragma once

#include <string>

#include "base/task.h"
#include "host/config.h"

namespace talaria {

// Of a sandbox that was removed, which has no next one.
Task<void> remove_engine_files(host::Config config, std::string target, std::string sandbox);

}  // namespace talaria
