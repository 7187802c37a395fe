// A lock between processes (os/file_lock.h) that is worth waiting for, without holding up the event
// loop.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "os/unique_fd.h"

namespace talaria {

// timed_out: somebody, whom the message names, had it all the time.
Task<Result<UniqueFd>> wait_for_lock(std::string path, std::chrono::milliseconds patience);

}  // namespace talaria
