// A host that is reached with the system's ssh, over one connection that all environments and
// programs of the same home share. The host is somebody else's: nothing is made or removed there
// but the runner's own directory.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "environment/environment.h"
#include "environment/ssh/ssh_command.h"

namespace talaria::environment::ssh {

struct SshOptions {
  SshTarget target;
  std::string home;  // control sockets are below <home>/talaria/ssh
  std::chrono::seconds lifetime{0};
  LoginFiles login;
  bool batches = false;  // see CarrierOptions
  bool plain = false;    // see CarriedTarget
};

// Whether there is an ssh, and the options say enough.
Result<void> check_ssh(const SshOptions& options);

Task<Result<std::unique_ptr<Environment>>> make_ssh_environment(SshOptions options);

}  // namespace talaria::environment::ssh
