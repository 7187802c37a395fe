// The runner of a directory on this machine, seen from outside: its state, its files, and how to
// end it. Only try_runner() starts one.
#pragma once

#include <talaria/home.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment {

// `directory`, or its substitute where no socket can be.
std::string runner_home(const std::string& directory);

// Nothing if there is none. An error (unavailable): one exists but does not answer.
Task<Result<std::optional<RunnerReport>>> look_at_runner(std::string directory);

// Ends it, if there is one, and waits until it is gone. Refused (denied) while commands run, unless
// they are to be killed.
Task<Result<void>> stop_runner(std::string directory, bool kill_commands);

// Processes of commands of a runner that was killed: "1234 (sleep)".
std::vector<std::string> left_processes(const std::string& directory);
// False if some do not end.
bool end_left_processes(const std::string& directory);

// The sessions whose state is on disk, by id.
std::vector<StoredSession> stored_sessions(const std::string& directory);

// The name of a directory that is being removed, two levels above the runner's directory.
inline constexpr std::string_view kRemovedPrefix = "removed-";

// Ends the runner and removes all its files, with the sessions. None can be started meanwhile.
Task<Result<void>> remove_runner(std::string directory, bool kill_commands);

// Installs the runner for this machine in `directory`, starts it there and ends it again. An error
// says what failed.
Task<Result<void>> try_runner(std::string directory);

}  // namespace talaria::environment
