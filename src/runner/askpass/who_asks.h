// Who it is that wants a password. Everything in a command runs as the same user and can connect to
// the runner; only sudo itself may have it, and sudo belongs to root.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.h"

namespace talaria::runner {

// The sudo that has started `caller` to ask for a password.
struct AskingSudo {
  pid_t pid = 0;
  std::uint64_t start_time = 0;
};

// An error says why there is none: it is not the caller's parent, does not run as root, runs its
// command already, or is not a descendant of `reaper`.
Result<AskingSudo> find_asking_sudo(pid_t caller, pid_t reaper);

// Whether it is the writing end of a pipe that root has made. The owner of a pipe is who made it,
// and no other process can open its other end: what is written there reaches a program of root.
bool leads_to_root(int fd);

}  // namespace talaria::runner
