#include "support/step_counter.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

namespace talaria::test {

StepCounter::StepCounter(pid_t pid) : thread_([this, pid] { follow(pid); }) { ready_.wait(false); }

std::uint64_t StepCounter::stop() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
  if (error_ != 0) throw std::runtime_error(std::string("ptrace: ") + std::strerror(error_));
  return steps_;
}

void StepCounter::follow(pid_t pid) {
  const auto say_ready = [this] {
    ready_ = true;
    ready_.notify_all();
  };
  int status = 0;
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0 ||
      ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) != 0 ||
      ::waitpid(pid, &status, __WALL) != pid) {
    error_ = errno;
    say_ready();
    return;
  }
  long signal = 0;
  bool asked_to_stop = false;
  ::ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr);
  say_ready();
  for (;;) {
    const pid_t stopped = ::waitpid(pid, &status, __WALL | WNOHANG);
    if (stopped < 0 || (stopped == pid && !WIFSTOPPED(status))) return;  // it is gone
    if (stopped == 0) {  // it runs, or waits for something
      if (over_ && !asked_to_stop) {
        ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
        asked_to_stop = true;
      }
      continue;
    }
    const bool stepped = WSTOPSIG(status) == SIGTRAP;
    signal = stepped ? 0 : WSTOPSIG(status);
    if (stepped) ++steps_;
    if (over_) break;
    ::ptrace(PTRACE_SINGLESTEP, pid, nullptr, signal);
  }
  ::ptrace(PTRACE_DETACH, pid, nullptr, signal);
}

}  // namespace talaria::test
