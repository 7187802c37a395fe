// The environments of a home that outlive the programs that made them: the runners on this machine,
// each in <home>/talaria/run/<id>, whether they run or only keep the state of sessions. Runners at
// other targets are not seen here.
#pragma once

#include <talaria/home.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace talaria::host {

std::vector<std::string> runner_ids(const std::string& home);

Task<std::vector<RunnerEntry>> list_runners(std::string home);

// An error (not_found): there is none.
Task<Result<RunnerEntry>> find_runner(std::string home, std::string id);

// Ends it and forgets its sessions. Refused (denied) while commands run, unless forced.
Task<Result<void>> remove_runner_of(std::string home, std::string id, bool force);

// Ends those that run and waits until they are gone; the sessions' state stays.
Task<std::vector<StoppedRunner>> stop_runners(std::string home, bool force);

}  // namespace talaria::host
