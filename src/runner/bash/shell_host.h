// ShellHost: what this target's bash is and what may be done with it, found out once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "runner/bash/prelude.h"
#include "runner/tree/nursery.h"
#include "shell/state.h"

namespace talaria {

struct ShellHost {
  std::shared_ptr<Nursery> nursery;  // starts reapers
  std::shared_ptr<Preludes> preludes;
  std::string bash_path;
  ShellDefaults defaults;
  std::string fd_directory;            // where a child finds our descriptors, "/proc/PID/fd"
  bool warm = false;                   // a command may be written into a waiting shell
  std::string cgroup_parent;           // empty: no cgroups here
  std::uint64_t soft_descriptors = 0;  // what a command's `ulimit -n` shall say; 0: as ours

  std::string path_of(int fd) const { return fd_directory + "/" + std::to_string(fd); }
};

// Looks for bash (PATH, then the usual places), asks it for its defaults, and tries the rest.
Result<ShellHost> probe_shell_host(std::shared_ptr<Nursery> nursery,
                                   const std::string& prelude_directory);

}  // namespace talaria
