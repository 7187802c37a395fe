// fork_process(): a copy of this process that runs a function and ends. Only for a process of one
// thread; the copy shares nothing but the descriptors it keeps.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/result.h"

namespace talaria::os {

// The child's pid; the caller must reap it. The child runs `body` and exits with status 0. It keeps
// the standard descriptors and, if `keep_fd` is not negative, that one; all others are closed
// there.
Result<pid_t> fork_process(const std::function<void()>& body, int keep_fd = -1);

// The same, but the child keeps every descriptor, and is born in `cgroup` if that can be done: then
// `inside` is true. (Moving a process between cgroups can take the kernel 20 ms.)
Result<pid_t> fork_into_cgroup(const std::string& cgroup,
                               const std::function<void(bool inside)>& body);

}  // namespace talaria::os
