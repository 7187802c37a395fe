// This machine as a target: a runner in a directory of the user's, found or started, reached over
// its socket.
#pragma once

#include <memory>

#include "environment/environment_spec.h"

namespace talaria::environment::local {

Result<std::unique_ptr<Environment>> make_local_environment(const asio::any_io_executor& executor,
                                                            const EnvironmentSpec& spec);

}  // namespace talaria::environment::local
