// Sandboxes of an account at Modal, each with a runner that is reached by an exec in it.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment_spec.h"
#include "environment/swept.h"

namespace talaria::environment::modal {

// Whether there are credentials and talaria-modal; Modal is not asked.
Result<void> check_modal(const ModalConfig& config);

// Whether the sandbox of the task runs, as far as this home knows of one.
Task<Result<bool>> is_modal_sandbox_up(ModalConfig config, EnvironmentSpec spec);

// Makes the sandbox first, so that a failure is known at once.
Task<Result<std::unique_ptr<Environment>>> make_modal_environment(ModalConfig config,
                                                                  EnvironmentSpec spec);

// Ends sandboxes that are no longer needed: no program has them or has used them for a while, and
// no process runs in them. A snapshot of files that are to be kept is made first.
//
// An error: there are no credentials, or Modal does not answer.
Task<Result<std::vector<Swept>>> sweep_sandboxes(ModalConfig config, SweepSpec sweep);

}  // namespace talaria::environment::modal
