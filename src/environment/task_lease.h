// The sandbox of a service that serves a task: which one that was, by its lease, and whose turn it
// is to make one.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/lease.h"
#include "environment/long_work.h"
#include "environment/wait_for_lock.h"

namespace talaria::environment {

// The one that was used last of those with this kind, target, engine and task.
std::optional<KnownLease> newest_lease(const std::string& home, const LeaseFacts& like);

// One program at a time looks for, and perhaps makes, the sandbox of that task. Makes the directory
// of the leases. An error of kind unavailable: another one had it all the time.
// (Whoever makes it may have to wait for its image first.)
inline constexpr auto kTurnPatience = std::chrono::minutes(35);
Task<Result<PassingLock>> turn_to_make(std::string home, LeaseFacts like, Progress progress,
                                       std::chrono::milliseconds patience = kTurnPatience);

}  // namespace talaria::environment
