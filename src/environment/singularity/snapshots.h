// <home>/singularity_snapshots.json: which task's files are in which overlay. Upstream Hermes
// writes the same file; what others have in it stays.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment::singularity {

// Refused if the file exists and is not a JSON object: it may belong to another program.
Task<Result<void>> note_snapshot(std::string home, std::string task, std::string overlay);
// Removes the entry.
Task<Result<void>> forget_snapshot(std::string home, std::string task);

}  // namespace talaria::environment::singularity
