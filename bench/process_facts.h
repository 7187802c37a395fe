// What /proc tells about our processes while they work: memory, wake-ups, who is there.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace talaria::bench {

// The most memory that some processes had at once since the watch began, each at its own worst
// moment, above what they had then.
class MemoryWatch {
 public:
  explicit MemoryWatch(std::vector<pid_t> pids);
  double extra_bytes() const;

 private:
  std::vector<pid_t> pids_;
  double before_ = 0;
};

// What a process has in memory now, shared pages as well.
double resident_bytes(pid_t pid);

// Context switches of all threads of a process since it began. A process that sleeps has none: each
// wake-up ends in another.
std::uint64_t context_switches(pid_t pid);

// Processor time that our processes have used, in milliseconds.
struct CpuTimes {
  double controller = 0;
  double runner = 0;
  double tree = 0;  // the nursery and the reapers

  double sum() const { return controller + runner + tree; }
  CpuTimes operator-(const CpuTimes& before) const {
    return {controller - before.controller, runner - before.runner, tree - before.tree};
  }
  CpuTimes operator/(double by) const { return {controller / by, runner / by, tree / by}; }
};

// Those of a controller, a runner and what is below that but the commands.
CpuTimes cpu_times(pid_t controller, pid_t runner);

// Processes whose command line, with blanks between the arguments, is `command_line`.
std::size_t count_processes(const std::string& command_line);

}  // namespace talaria::bench
