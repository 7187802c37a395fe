// StepCounter: counts the machine instructions that the first thread of a process executes in user
// mode, one at a time. That takes long, but a busy machine does not change it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace talaria::test {

class StepCounter {
 public:
  explicit StepCounter(pid_t pid);
  ~StepCounter() { stop(); }
  StepCounter(const StepCounter&) = delete;
  StepCounter& operator=(const StepCounter&) = delete;

  // Ends the count, and returns it. Throws if the process could not be followed.
  std::uint64_t stop();

 private:
  void follow(pid_t pid);

  std::atomic<bool> ready_ = false;
  std::atomic<bool> over_ = false;
  std::atomic<bool> ended_ = false;  // nothing is followed any longer
  std::atomic<int> error_ = 0;
  std::uint64_t steps_ = 0;
  std::thread thread_;  // all calls of ptrace come from one thread
};

}  // namespace talaria::test
