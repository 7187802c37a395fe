// What the guard sees of the disk of this machine: links, and the repository of a directory.
#pragma once

#include "policy/guard/context.h"

namespace talaria::policy {

// Adds it where the target is this machine.
void look_at_disk(guard::GuardContext& context);

}  // namespace talaria::policy
