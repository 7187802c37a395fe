// Nursery: where the runner gets a reaper for a program. A reaper whose tree is empty serves again;
// a new one is forked by the nursery process: the runner asks and continues at once, and a copy of
// that process becomes the reaper. So a start costs the runner's loop one message, and the machine
// no exec but the program's own.
//
// The process is a fork of the runner itself, which has one thread; made at the start, while there
// is little in it, and it never does anything else. It ends with the runner (its channel closes).
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"
#include "runner/tree/spawn_request.h"

namespace talaria::runner {

class Nursery {
 public:
  // The process must have one thread only.
  static Result<Nursery> start();

  // Has a reaper start the program and returns our end of the channel to that reaper. `input` and
  // `output`: the program's ends, borrowed; input -1: /dev/null.
  Result<os::UniqueFd> spawn(const ReaperSpec& spec, int input, int output);

  // The channel of a reaper that has reported its tree empty, and generation() at its spawn: one
  // whose nursery is gone would stay stopped if it were stopped, so it is not used again.
  void take_back(os::UniqueFd channel, int generation);

  void drop_free();  // the reapers without a program end

  int generation() const { return generation_; }

  pid_t pid() const { return pid_; }

 private:
  Nursery(os::UniqueFd channel, pid_t pid) : channel_(std::move(channel)), pid_(pid) {}

  Result<void> ask(const ReaperSpec& spec, const ProgramEnds& ends);
  Result<void> replace();  // this one is gone: starts another

  os::UniqueFd channel_;
  pid_t pid_;
  int generation_ = 0;
  std::vector<os::UniqueFd> free_;  // channels of reapers without a program
};

}  // namespace talaria::runner
