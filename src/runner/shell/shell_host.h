// ShellHost: the shell of this target and what can be done with it, determined once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/cgroup.h"
#include "runner/shell/prelude.h"
#include "runner/tree/nursery.h"
#include "shell/state.h"

namespace talaria::runner {

enum class ShellKind {
  bash,
  sh,  // a POSIX one, where there is no bash; see shell/sh_script.h for what it lacks
};

struct ShellHost {
  std::shared_ptr<Nursery> nursery;  // starts reapers
  std::shared_ptr<Preludes> preludes;
  ShellKind kind = ShellKind::bash;
  std::string shell_path;
  shell::ShellDefaults defaults;
  std::string fd_directory;  // where a child finds our descriptors, "/proc/PID/fd"
  bool warm = false;         // a command may be written into a waiting shell
  std::string cgroup_stem;   // of the groups of commands; empty: no cgroups here
  std::shared_ptr<const os::OomKills> oom_kills = std::make_shared<const os::OomKills>();
  std::uint64_t soft_descriptors = 0;  // the `ulimit -n` of commands; 0: as ours
  // Called when a reaper was killed: what it watched over are now children of this process.
  std::function<void()> on_lost_reaper;

  std::string path_of(int fd) const { return fd_directory + "/" + std::to_string(fd); }
};

// Looks for bash (PATH, then the usual places), asks it for its defaults, and tries the rest.
// Without bash it is sh.
Result<ShellHost> probe_shell_host(std::shared_ptr<Nursery> nursery,
                                   const std::string& prelude_directory);

// A host whose shell is the sh at `path`.
Result<ShellHost> sh_host(std::shared_ptr<Nursery> nursery, const std::string& prelude_directory,
                          const std::string& path);

}  // namespace talaria::runner
