// This machine as a target: a runner in a directory of the user's, found or started, reached over
// its socket.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "environment/environment.h"

namespace talaria::environment::local {

struct LocalOptions {
  std::string home;  // Talaria writes only below <home>/talaria
  std::chrono::seconds lifetime{0};
  LoginFiles login;
};

Result<std::unique_ptr<Environment>> make_local_environment(const asio::any_io_executor& executor,
                                                            const LocalOptions& options);

}  // namespace talaria::environment::local
