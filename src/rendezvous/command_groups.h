// The cgroups of the commands of a runner. The name of each has a mark of the runner's place and
// names the process of the runner. So what a killed runner left is found: by the next runner in
// that place, and by programs that look at it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "rendezvous/runner_place.h"

namespace talaria::rendezvous {

// With what the path of each group begins that the calling process, a runner in `place`, makes
// below the group `parent`. Empty if the place cannot be read.
std::string group_stem(const RunnerPlace& place, const std::string& parent);

struct CommandGroup {
  std::string path;
  std::vector<pid_t> processes;  // that are in it
};

// Those of runners in `place` that are gone, below the group that the last one recorded (see
// RunnerPlace::identity()) and below our own.
std::vector<CommandGroup> stale_groups(const RunnerPlace& place);

// Kills the processes in them and removes them. False if some are left after `patience`.
bool end_stale_groups(const RunnerPlace& place, std::chrono::milliseconds patience);

// The same for the groups of one runner, as soon as it is gone.
bool end_groups_of(const std::string& stem, std::chrono::milliseconds patience);

}  // namespace talaria::rendezvous
