// <home>/singularity_snapshots.json: which task's files are in which overlay. Upstream Hermes
// writes the same file; what others have in it stays.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment::singularity {

// Refused if the file is there and is no JSON object: it may be somebody's.
Task<Result<void>> note_snapshot(std::string home, std::string task, std::string overlay);
// There is none any more.
Task<Result<void>> forget_snapshot(std::string home, std::string task);

}  // namespace talaria::environment::singularity
