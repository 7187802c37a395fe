#include "os/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "os/find_program.h"

// The C library's clone(), by the name that no sanitizer replaces: theirs takes every child for one
// with a memory of its own.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...);

namespace talaria::os {
namespace {

constexpr std::size_t kStackSize = 32 * 1024;
constexpr int kFirstFreeDescriptor = 3;

// Everything the child needs. It shares our memory and nothing is allocated in there.
struct ChildPlan {
  const char* path = nullptr;
  const char* const* argv = nullptr;
  const char* const* env = nullptr;
  const char* cwd = nullptr;
  int* fds = nullptr;
  int count = 0;
  const char* terminal = nullptr;
  bool new_session = false;
  std::uint64_t no_signals = 0;
  int error = 0;  // the child's: what failed
};

// As the kernel reads it.
struct KernelSignalAction {
  void* handler;
  unsigned long flags;
  void* restorer;
  std::uint64_t mask;
};

// Only system calls, and none that a sanitizer watches: what it noted would be about us.
template <class... Arguments>
[[gnu::always_inline]] inline long call(long number, Arguments... arguments) {
  return ::syscall(number, arguments...);
}

#define TALARIA_UNWATCHED __attribute__((no_sanitize("address", "thread", "undefined", "memory")))

// First those that are in the way of the wanted numbers, so that no source is overwritten before it
// was read.
TALARIA_UNWATCHED bool place_descriptors(const ChildPlan& plan) {
  for (int i = 0; i < plan.count; ++i) {
    if (plan.fds[i] < 0 || plan.fds[i] >= plan.count) continue;
    plan.fds[i] = static_cast<int>(call(SYS_fcntl, plan.fds[i], F_DUPFD, plan.count));
    if (plan.fds[i] < 0) return false;
  }
  for (int i = 0; i < plan.count; ++i) {
    if (plan.fds[i] >= 0) {
      if (call(SYS_dup3, plan.fds[i], i, 0) < 0) return false;
      continue;
    }
    const long null = call(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    if (null < 0) return false;
    if (null != i && call(SYS_dup3, null, i, 0) < 0) return false;
  }
  return true;
}

// A terminal comes to control a session when its leader opens one, which is the child by then. It
// is opened through the descriptor: /dev/pts may be missing, or be another one.
TALARIA_UNWATCHED bool place_terminal(const ChildPlan& plan) {
  const long terminal = call(SYS_openat, AT_FDCWD, plan.terminal, O_RDWR, 0);
  if (terminal < 0) return false;
  for (int i = 0; i < kFirstFreeDescriptor; ++i) {
    if (terminal != i && call(SYS_dup3, terminal, i, 0) < 0) return false;
  }
  return true;
}

// Kernels before 5.9 have no close_range().
TALARIA_UNWATCHED void close_from(int first) {
  if (call(SYS_close_range, first, ~0u, 0) == 0) return;
  constexpr int kMost = 65536;
  for (int fd = first; fd < kMost; ++fd) call(SYS_close, fd);
}

TALARIA_UNWATCHED void reset_signals(const ChildPlan& plan) {
  constexpr int kSignals = 64;
  KernelSignalAction before{};
  const KernelSignalAction by_default{};
  for (int number = 1; number <= kSignals; ++number) {
    call(SYS_rt_sigaction, number, nullptr, &before, sizeof plan.no_signals);
    if (before.handler == nullptr) continue;
    call(SYS_rt_sigaction, number, &by_default, nullptr, sizeof plan.no_signals);
  }
  call(SYS_rt_sigprocmask, SIG_SETMASK, &plan.no_signals, nullptr, sizeof plan.no_signals);
}

// Returns only if it failed.
TALARIA_UNWATCHED int run_child(void* argument) {
  auto& plan = *static_cast<ChildPlan*>(argument);
  const bool ready = (!plan.new_session || call(SYS_setsid) >= 0) &&
                     (plan.terminal == nullptr ? place_descriptors(plan) : place_terminal(plan)) &&
                     (plan.cwd == nullptr || call(SYS_chdir, plan.cwd) == 0);
  if (ready) {
    close_from(plan.terminal == nullptr ? plan.count : kFirstFreeDescriptor);
    reset_signals(plan);
    call(SYS_execve, plan.path, plan.argv, plan.env);
  }
  plan.error = errno;
  call(SYS_exit_group, 127);
  return 127;
}

// The child is over this thread's memory until it runs its program; its stack stays ours, so that
// none has to be mapped and unmapped for each.
Result<pid_t> clone_child(ChildPlan& plan) {
  alignas(64) thread_local std::array<std::byte, kStackSize> stack;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const int pid =
      __clone(run_child, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
  const int code = pid < 0 ? errno : plan.error;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (code == 0) return pid;
  if (pid > 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return fail(Error::from_errno(std::string("spawn ") + plan.path, code));
}

}  // namespace

Result<pid_t> spawn_process(const SpawnSpec& spec) {
  std::string path = spec.path;
  if (!path.contains('/')) {
    const char* places = std::getenv("PATH");
    auto found = find_program(path, places == nullptr ? "/bin:/usr/bin" : places);
    if (!found) return fail(Error::from_errno("spawn " + path, ENOENT));
    path = std::move(*found);
  }
  std::vector<const char*> argv = spec.argv;
  std::vector<const char*> env = spec.env;
  argv.push_back(nullptr);
  env.push_back(nullptr);
  std::vector<int> fds = spec.fds;
  const std::string terminal = "/proc/self/fd/" + std::to_string(spec.terminal);
  ChildPlan plan{.path = path.c_str(),
                 .argv = argv.data(),
                 .env = env.data(),
                 .cwd = spec.cwd,
                 .fds = fds.data(),
                 .count = static_cast<int>(fds.size()),
                 .terminal = spec.terminal >= 0 ? terminal.c_str() : nullptr,
                 .new_session = spec.new_session};
  return clone_child(plan);
}

}  // namespace talaria::os
