#include "os/fork.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "os/file.h"

namespace talaria::os {
namespace {

// Kernels before 5.9 have no close_range().
void close_between(unsigned first, unsigned last) {
  if (first > last || ::close_range(first, last, 0) == 0) return;
  const auto most = static_cast<unsigned>(::sysconf(_SC_OPEN_MAX));
  for (unsigned fd = first; fd <= last && fd < most; ++fd) ::close(static_cast<int>(fd));
}

// Nothing may get past here: the code behind the fork belongs to the parent.
[[noreturn]] void run_to_exit(const std::function<void()>& body) noexcept {
  body();
  ::_exit(0);
}

Result<pid_t> fork_with_descriptors(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid < 0) return fail(Error::from_errno("fork"));
  if (pid == 0) run_to_exit(body);
  return pid;
}

// What fork() does for a process of one thread, which has no handlers for it either. Negative: the
// kernel does not know how (before 5.7), or does not let us.
pid_t clone_into(int cgroup) {
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(cgroup);
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

}  // namespace

Result<pid_t> fork_into_cgroup(const std::string& cgroup,
                               const std::function<void(bool inside)>& body) {
  const auto directory = cgroup.empty() ? fail(ErrorKind::not_found, "no cgroup")
                                        : open_file(cgroup, O_PATH | O_DIRECTORY);
  const pid_t pid = directory ? clone_into(directory->get()) : -1;
  if (pid == 0) run_to_exit([&] { body(true); });
  if (pid > 0) return pid;
  return fork_with_descriptors([&] { body(false); });
}

Result<pid_t> fork_process(const std::function<void()>& body, int keep_fd) {
  return fork_with_descriptors([&] {
    const unsigned after = keep_fd < 3 ? 3 : static_cast<unsigned>(keep_fd) + 1;
    close_between(3, after - 2);
    close_between(after, ~0u);
    body();
  });
}

}  // namespace talaria::os
