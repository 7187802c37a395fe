// The container, instance or sandbox that serves a task: which one that was, by its lease, and
// whose turn it is to make one.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/lease.h"
#include "environment/long_work.h"
#include "environment/wait_for_lock.h"

namespace talaria::environment {

// The leases with the same kind, target, engine, profile and task, the last used first.
std::vector<KnownLease> leases_like(const std::string& home, const LeaseFacts& like);
std::optional<KnownLease> newest_lease(const std::string& home, const LeaseFacts& like);

// One program at a time looks for, makes or ends what serves that task. Creates the directory of
// the leases. An error of kind unavailable: another program had the turn all the time. (The one
// that makes it may have to wait for its image first.)
inline constexpr auto kTurnPatience = std::chrono::minutes(35);
Task<Result<PassingLock>> turn_to_make(std::string home, LeaseFacts like, Progress progress,
                                       std::chrono::milliseconds patience = kTurnPatience);

}  // namespace talaria::environment
