// What the guard sees of the disk of this machine: links, and the repository of a directory.
#pragma once

#include <string>
#include <vector>

#include "policy/guard/context.h"

namespace talaria::policy {

// Adds it where the target is this machine. `workplaces`: where the work of the task and of its
// program began. A command that starts in none of their repositories starts outside the project.
void look_at_disk(guard::GuardContext& context, const std::vector<std::string>& workplaces);

}  // namespace talaria::policy
