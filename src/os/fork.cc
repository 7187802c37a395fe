#include "os/fork.h"

#include <unistd.h>

namespace talaria {
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

}  // namespace

Result<pid_t> fork_with_descriptors(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid < 0) return fail(Error::from_errno("fork"));
  if (pid == 0) {
    run_to_exit(body);
  }
  return pid;
}

Result<pid_t> fork_process(const std::function<void()>& body, int kept) {
  return fork_with_descriptors([&] {
    const unsigned after = kept < 3 ? 3 : static_cast<unsigned>(kept) + 1;
    close_between(3, after - 2);
    close_between(after, ~0u);
    body();
  });
}

}  // namespace talaria
