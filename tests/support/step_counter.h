// StepCounter: counts what the first thread of a process does, one at a time: the machine
// instructions that it executes in user mode, or its system calls. That takes long, but a busy
// machine does not change it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace talaria::test {

class StepCounter {
 public:
  enum class Unit { instructions, system_calls };

  explicit StepCounter(pid_t pid, Unit unit = Unit::instructions);
  ~StepCounter() { stop(); }
  StepCounter(const StepCounter&) = delete;
  StepCounter& operator=(const StepCounter&) = delete;

  // Ends the count, and returns it. A call that has not returned does not count. Throws if the
  // process could not be followed.
  std::uint64_t stop();

 private:
  void follow(pid_t pid, Unit unit);

  std::atomic<bool> ready_ = false;
  std::atomic<bool> over_ = false;
  std::atomic<bool> ended_ = false;  // nothing is followed any longer
  std::atomic<int> error_ = 0;
  std::uint64_t steps_ = 0;
  std::thread thread_;  // all calls of ptrace come from one thread
};

}  // namespace talaria::test
