// The runner of a directory on this machine, seen from outside: what it does, what it keeps, and
// how it is told to end. Nothing here starts one, but for a trial.
#pragma once

#include <talaria/home.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment {

// `directory`, or what stands in for it where no socket can be.
std::string runner_home(const std::string& directory);

// Nothing if none is there. An error (unavailable): one has the place but does not answer.
Task<Result<std::optional<RunnerReport>>> look_at_runner(std::string directory);

// Whether this process was started by one of its commands, however far down.
bool is_below_runner(const std::string& directory);

// Ends it, if there is one, and waits until it is gone. Refused (denied) while commands run, unless
// they are to be killed.
Task<Result<void>> stop_runner(std::string directory, bool kill_commands);

// The sessions whose state is on disk, by id.
std::vector<StoredSession> stored_sessions(const std::string& directory);

// What is being removed is called so, two levels above the runner's directory.
inline constexpr std::string_view kRemovedPrefix = "removed-";

// Ends the runner and removes all it keeps, with the sessions. Nobody can start one meanwhile.
Task<Result<void>> remove_runner(std::string directory, bool kill_commands);

// Puts the runner for this machine into `directory`, starts it there and ends it again. An error
// says why that cannot be done.
Task<Result<void>> try_runner(std::string directory);

}  // namespace talaria::environment
