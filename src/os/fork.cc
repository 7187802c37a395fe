#include "os/fork.h"

#include <unistd.h>

namespace talaria {

Result<pid_t> fork_with_descriptors(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid < 0) return fail(Error::from_errno("fork"));
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  return pid;
}

Result<pid_t> fork_process(const std::function<void()>& body, int kept) {
  return fork_with_descriptors([&] {
    const unsigned after = kept < 3 ? 3 : static_cast<unsigned>(kept) + 1;
    if (kept > 3) ::close_range(3, static_cast<unsigned>(kept) - 1, 0);
    ::close_range(after, ~0u, 0);
    body();
  });
}

}  // namespace talaria
