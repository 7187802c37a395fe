// A runner that is to wait in a pool: what the first command of a task would wait for is done.
#pragma once

#include "base/result.h"
#include "base/task.h"
#include "environment/environment_spec.h"
#include "link/driver.h"

namespace talaria::environment {

// It has read the login files and knows its shell afterwards. Nothing is left of the session.
Task<Result<void>> warm_up_runner(asio::any_io_executor executor, EnvironmentSpec spec,
                                  link::LinkDriver::Connect connect);

}  // namespace talaria::environment
