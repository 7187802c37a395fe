// Sandboxes that nobody needs any more: no program has them, none has used them for a while, and
// nothing runs in them. Their files are kept first if they are to be.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/task.h"
#include "environment/modal/modal_program.h"
#include "environment/swept.h"

namespace talaria::environment::modal {

struct SandboxSweep {
  ModalAccount account;
  std::string target = "modal";
  std::string home;
  std::chrono::seconds max_age{600};
  bool running = false;  // also those in which something runs
  bool dry_run = false;  // only say so
};

// An error: Modal cannot be asked.
Task<Result<std::vector<Swept>>> sweep_sandboxes(SandboxSweep sweep);

}  // namespace talaria::environment::modal
