// A host that is reached with the system's ssh, over one connection that all environments and
// programs of the same home share. The host is not ours: nothing is made or removed there
// but the runner's own directory.
#pragma once

#include <memory>

#include "environment/environment_spec.h"

namespace talaria::environment::ssh {

// Whether ssh is installed, and the configuration names a host and a user.
Result<void> check_ssh(const SshConfig& config);

// Whether a command runs there now. timed_out: no answer came.
Task<Result<void>> reach_ssh(SshConfig config, std::string home);

Task<Result<std::unique_ptr<Environment>>> make_ssh_environment(SshConfig config,
                                                                EnvironmentSpec spec);

}  // namespace talaria::environment::ssh
