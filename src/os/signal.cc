#include "os/signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <set>

#include "os/proc.h"
#include "os/unique_fd.h"

namespace talaria::os {
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

bool is_running(const SameProcess& process) {
  const auto stat = read_process_stat(process.pid);
  return stat && stat->start_time == process.start_time && stat->state != 'Z' && stat->state != 'X';
}

bool signal_same(const SameProcess& process, int signal) {
  const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  const bool has_handles = handle || errno != ENOSYS;
  if ((has_handles && !handle) || !is_running(process)) return false;
  if (!has_handles) return ::kill(process.pid, signal) == 0;
  return ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0;
}

// Stopped until nothing new is found, so that nothing can fork away meanwhile.
std::vector<SameProcess> kill_session_of(const SameProcess& leader) {
  std::map<pid_t, SameProcess> found;
  if (leader.pid <= 1 || !is_running(leader)) return {};
  for (bool fresh = true; fresh;) {
    fresh = false;
    std::vector<pid_t> members = descendants(leader.pid);
    for (const pid_t pid : session_members(leader.pid)) members.push_back(pid);
    members.push_back(leader.pid);
    if (!is_running(leader)) break;  // nobody else can have had its pid until now
    for (const pid_t pid : members) {
      const auto stat = read_process_stat(pid);
      if (!stat || found.contains(pid)) continue;
      const SameProcess process{pid, stat->start_time};
      found.emplace(pid, process);
      fresh |= signal_same(process, SIGSTOP);
    }
  }
  std::vector<SameProcess> killed;
  for (const auto& [pid, process] : found) {
    if (signal_same(process, SIGKILL)) killed.push_back(process);
  }
  return killed;
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

}  // namespace talaria::os
