// Sandboxes of an account at Modal, each with a runner that is reached by an exec in it.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "environment/modal/modal_options.h"

namespace talaria::environment::modal {

// Whether there is what it takes; nobody is asked.
Result<void> check_modal();

// Makes the sandbox first, so that one that cannot be had is known at once.
// Whether the sandbox of the task runs, as far as this home knows of one.
Task<Result<bool>> is_modal_sandbox_up(ModalOptions options);

Task<Result<std::unique_ptr<Environment>>> make_modal_environment(ModalOptions options);

}  // namespace talaria::environment::modal
