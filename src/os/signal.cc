#include "os/signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <set>

#include "os/proc.h"
#include "os/unique_fd.h"

namespace talaria {
namespace {

bool is_descendant(pid_t root, pid_t pid) {
  while (pid > 1) {
    const auto stat = read_process_stat(pid);
    if (!stat) return false;
    if (stat->parent == root) return true;
    pid = stat->parent;
  }
  return false;
}

}  // namespace

// The handle is opened first. If the signal is delivered through it, the process lived until then,
// so it was the one whose parents were looked at.
bool signal_descendant(pid_t root, pid_t pid, int signal) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const bool has_handles = process || errno != ENOSYS;
  if (has_handles && !process) return false;
  if (!is_descendant(root, pid)) return false;
  if (!has_handles) return ::kill(pid, signal) == 0;
  return ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0;
}

void signal_child(pid_t child, int signal) { ::kill(child, signal); }

void signal_group(pid_t leader, int signal) { ::kill(-leader, signal); }

void continue_process(pid_t pid) {
  if (pid > 0) ::kill(pid, SIGCONT);
}

int why_not_signalled(pid_t pid) { return ::kill(pid, 0) == 0 ? 0 : errno; }

void kill_tree(pid_t guardian, pid_t root) {
  std::set<pid_t> stopped;
  for (bool fresh = true; fresh;) {
    fresh = false;
    for (const pid_t pid : descendants(root)) {
      if (!stopped.insert(pid).second) continue;
      signal_descendant(guardian, pid, SIGSTOP);
      fresh = true;
    }
  }
  for (const pid_t pid : stopped) signal_descendant(guardian, pid, SIGKILL);
}

}  // namespace talaria
