// Asks a runner for the result of its login files.
#pragma once

#include <memory>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "link/driver.h"

namespace talaria::environment {

// Cancelling ends the wait, not the reading. A runner that is lost meanwhile is `unavailable`: no
// command was started.
Task<Result<link::LoginReport>> ask_login(std::shared_ptr<link::LinkDriver> driver,
                                          link::Login request, CancelToken cancel);

}  // namespace talaria::environment
