// ChildProcess: a program we started for a purpose of our own (not a user's command). Destroying it
// kills what is left of its session and reaps it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/spawn.h"
#include "os/unique_fd.h"

namespace talaria::os {

class ChildProcess {
 public:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  // Waits for it to end by itself. Its wait status, or -1 if it had been waited for.
  int wait();

  // Sends it a signal, unless that is 0, and lets it go: nobody waits for it any more.
  void dismiss(int signal);

  pid_t pid() const { return pid_; }  // -1 once it was waited for or let go

 private:
  pid_t pid_;  // -1 once reaped
};

// A child whose standard input and output are pipes to us. Its standard error is `error_fd`
// (borrowed), or /dev/null.
struct PipedChild {
  ChildProcess process;
  UniqueFd input;   // we write
  UniqueFd output;  // we read
};
Result<PipedChild> spawn_piped(SpawnSpec spec, int error_fd = -1);

// Runs a program of the system. Returns its standard output and error together, up to 64 KiB; fails
// if it cannot be started or does not end in time.
Result<std::string> program_output(const std::vector<std::string>& argv,
                                   std::chrono::milliseconds patience);

}  // namespace talaria::os
