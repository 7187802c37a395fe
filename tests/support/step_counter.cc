#include "support/step_counter.h"

#include <pthread.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

namespace talaria::test {
namespace {

constexpr int kWakeUp = SIGUSR1;

// So that a wait can be interrupted.
void catch_wake_up() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ::sigaction(kWakeUp, &action, nullptr);
}

bool was_interrupted_by_us(int status) { return status >> 16 == PTRACE_EVENT_STOP; }

// Lets go of a process that has stopped because we asked for it. The trap of its last step may be
// on its way, and would kill it.
void let_go(pid_t pid) {
  for (;;) {
    ::ptrace(PTRACE_CONT, pid, nullptr, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
    int status = 0;
    while (::waitpid(pid, &status, __WALL) < 0 && errno == EINTR) {
    }
    if (!WIFSTOPPED(status)) return;
    if (was_interrupted_by_us(status)) break;
  }
  ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
}

// On one processor, so that none has to be woken for each step.
class OneProcessor {
 public:
  explicit OneProcessor(pid_t other) : other_(other) {
    ::sched_getaffinity(other_, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    ::sched_setaffinity(other_, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(other_, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  pid_t other_;
  cpu_set_t before_{};
};

}  // namespace

StepCounter::StepCounter(pid_t pid, Unit unit) {
  catch_wake_up();
  thread_ = std::thread([this, pid, unit] {
    follow(pid, unit);
    ended_ = true;
    ready_ = true;
    ready_.notify_all();
  });
  ready_.wait(false);
}

std::uint64_t StepCounter::stop() {
  over_ = true;
  while (thread_.joinable() && !ended_) {
    ::pthread_kill(thread_.native_handle(), kWakeUp);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (thread_.joinable()) thread_.join();
  if (error_ != 0) throw std::runtime_error(std::string("ptrace: ") + std::strerror(error_));
  return steps_;
}

void StepCounter::follow(pid_t pid, Unit unit) {
  const bool calls = unit == Unit::system_calls;
  const auto next = calls ? PTRACE_SYSCALL : PTRACE_SINGLESTEP;
  const int step_signal = calls ? SIGTRAP | 0x80 : SIGTRAP;
  bool inside = false;  // a call
  int status = 0;
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACESYSGOOD) != 0 ||
      ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) != 0 ||
      ::waitpid(pid, &status, __WALL) != pid) {
    error_ = errno;
    return;
  }
  const OneProcessor one(pid);
  long signal = 0;
  for (;;) {
    ::ptrace(next, pid, nullptr, signal);
    if (!ready_.exchange(true)) ready_.notify_all();
    while (::waitpid(pid, &status, __WALL) < 0) {
      if (errno != EINTR) return;
      if (over_) ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);  // it waits for something
    }
    if (!WIFSTOPPED(status)) return;  // it is gone
    if (over_) return let_go(pid);
    const bool stepped = WSTOPSIG(status) == step_signal;
    signal = stepped || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (stepped && calls) inside = !inside;
    if (stepped && !inside) ++steps_;
  }
}

}  // namespace talaria::test
