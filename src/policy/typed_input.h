// What is written to processes while they run. The start of a process that may run what it reads
// needs approval, because that input is not known then. What is never allowed is refused here,
// whatever the process is: a shell, or a program with a way to one.
#pragma once

#include <optional>
#include <string_view>

#include "policy/approval/approvals.h"

namespace talaria::policy {

// Why `data` may not be written to `process` (the command it was started with, and where); nothing:
// it may. `unfinished`: what was written since the last end of a line.
std::optional<Decision> refused_input(const Approvals& approvals, CommandQuestion process,
                                      std::string_view unfinished, std::string_view data);

}  // namespace talaria::policy
