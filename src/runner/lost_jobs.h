// Ends the processes that a dead runner left behind, and never other processes.
#pragma once

#include <string>
#include <vector>

#include "runner/job_journal.h"

namespace talaria::runner {

// Kills what still lives of the jobs whose end was not recorded, and waits a little until it is
// gone. A pid counts only if the process that has it is the one that was started: the same boot,
// the same start time. (Usually there is nothing to do: the reaper of each job has done it.)
void end_lost_jobs(const std::vector<Job>& jobs, const std::string& boot_id);

}  // namespace talaria::runner
