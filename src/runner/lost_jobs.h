// What processes of a runner that is dead left behind: ended here, and never anybody else's.
#pragma once

#include <string>
#include <vector>

#include "runner/job_journal.h"

namespace talaria::runner {

// Ends what still lives of the jobs whose end nobody saw, and waits a little until it is gone. A
// pid counts only if the process that has it is the one that was started: the same boot, the same
// start time. (Mostly there is nothing to do: the reaper of each job has seen to it.)
void end_lost_jobs(const std::vector<Job>& jobs, const std::string& boot_id);

}  // namespace talaria::runner
