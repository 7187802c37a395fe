// Sandboxes of an account at Modal, each with a runner that is reached by an exec in it.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment_spec.h"

namespace talaria::environment::modal {

// Whether there are credentials and talaria-modal; Modal is not asked.
Result<void> check_modal(const ModalConfig& config);

// Whether the sandbox of the task runs, as far as this home knows of one.
Task<Result<bool>> is_modal_sandbox_up(ModalConfig config, EnvironmentSpec spec);

// Makes the sandbox first, so that a failure is known at once.
Task<Result<std::unique_ptr<Environment>>> make_modal_environment(ModalConfig config,
                                                                  EnvironmentSpec spec);

}  // namespace talaria::environment::modal
