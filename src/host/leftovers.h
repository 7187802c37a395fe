// Files below <home>/talaria that are no longer needed: what runners left that were killed, and
// runner programs of other versions.
#pragma once

#include <talaria/doctor.h>

#include <string>
#include <vector>

#include "base/task.h"

namespace talaria::host {

// Nothing that a living runner, or the next one, could want.
Task<std::vector<StaleFile>> find_leftovers(std::string home);

// Those that could not be removed.
std::vector<StaleFile> remove_leftovers(const std::vector<StaleFile>& files);

}  // namespace talaria::host
