// Nursery: the process reapers are born from. The runner asks and goes on at once; the nursery
// forks itself, and the copy becomes the reaper. So starting a command costs the runner's loop one
// message and the machine one small fork, not an exec.
//
// It is a fork of the runner itself, which has one thread; made at the start, while there is little
// in it, and it never does anything else. It ends with the runner (its channel closes).
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/unique_fd.h"
#include "runner/reaper.h"

namespace talaria {

class Nursery {
 public:
  // The process must have one thread only.
  static Result<Nursery> start();

  // `input` and `output`: the program's ends, borrowed; input -1: /dev/null. `channel`: the
  // reaper's. Starts another nursery if this one is gone.
  Result<void> spawn(const ReaperSpec& spec, int input, int output, int channel);

  pid_t pid() const { return pid_; }

 private:
  Nursery(UniqueFd channel, pid_t pid) : channel_(std::move(channel)), pid_(pid) {}

  Result<void> send(const ReaperSpec& spec, int input, int output, int channel) const;

  UniqueFd channel_;
  pid_t pid_;
};

}  // namespace talaria
