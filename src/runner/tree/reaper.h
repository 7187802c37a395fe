// The reaper: one small process between the runner and each command.
//
// It is a subreaper, so whatever the command forks, daemonises or moves to a session of its own
// still ends up as its descendant: when it has no child left, the command's tree is empty, exactly.
// It reports to the runner how the command ended and when the tree is empty. It kills the tree when
// ordered to, or when the runner is gone (its end of the channel closed). With its tree empty it is
// as it was at its start, and may get the next program.
//
// It is a fork of the nursery (nursery.h), which keeps no state of its own.
#pragma once

#include <cstdint>
#include <string>

#include "runner/tree/spawn_request.h"

namespace talaria::runner {

// Both ends are of one program, so messages are plain structs.
enum class ReaperOrder : std::uint32_t {
  kill,    // TERM to all, after `grace_ms` KILL until the tree is empty or nothing more helps
  signal,  // `signal` to the program's process group
};

struct ToReaper {
  ReaperOrder order{};
  std::int32_t signal = 0;
  std::uint32_t grace_ms = 0;
};

enum class ReaperReport : std::uint32_t {
  started,   // `pid`
  failed,    // the program could not be started: `status` is the errno
  exited,    // the program ended with wait status `status`; descendants may live. If a signal
             //   ended it, `name` is what it was by then: a shell may have become another program
  survivor,  // `pid` (`name`) could not be killed: `status` is the errno, 0 if KILL did not help
  killed,    // a kill order is done, but the survivors reported before are left
  empty,     // no descendant is left; any kill order is done; the reaper is free
};

struct FromReaper {
  ReaperReport report{};
  std::int32_t pid = 0;
  std::int32_t reaper = 0;  // with `started`: the reaper's own pid
  std::int32_t status = 0;
  std::uint32_t children = 0;  // with `exited`: how many descendants are left
  bool is_empty = false;       // with `exited`: none is, and `empty` is not reported apart
  char name[16] = {};
};

// Is the reaper: returns when the runner is gone and nothing more is to be done. `cgroup`: the
// group that is its own, in which it is `inside` already or not; empty if it has none.
void run_reaper(SpawnRequest request, std::string cgroup, bool inside);

}  // namespace talaria::runner
